// Lets the HTTP server of a worker serve the connections that its parent gives it. The server itself does not listen.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionMessage, ListenAnswer, ListenAt, TakenMessage } from "./listening.ts";
import type { ParentLink } from "./parent-link.ts";

export interface TakenConnections {
  /** The port on which the parent listens. */
  readonly port: number;
  /** Takes no more connections. */
  stop(): void;
}

/** Rejects with an Error that has a code, as `listen` of a server does. `count` is the number of open connections. */
export async function takeConnections(
  link: ParentLink,
  server: Server,
  { count, ...at }: ListenAt & { count: () => number },
): Promise<TakenConnections> {
  const answer = await link.request<ListenAnswer>("listen", at);
  if ("problem" in answer) throw Object.assign(new Error(answer.problem), { code: answer.code });
  const { address, port } = answer;
  let isStopped = false;
  const onMessage = (message: ConnectionMessage, socket: Socket | undefined): void => {
    if (message?.lethe !== "connection" || message.address !== address) return;
    // The parent gave it before it knew that this worker stops.
    if (isStopped) socket?.destroy();
    process.send?.({ lethe: "taken", id: message.id, isTaken: !isStopped } satisfies TakenMessage);
    // Undefined: the client has left meanwhile.
    if (socket && !isStopped) serveConnection(server, socket, count());
  };
  process.on("message", onMessage as (message: unknown) => void);
  // Node's own limits of time begin with this event.
  server.emit("listening");
  return {
    port,
    stop() {
      isStopped = true;
      link.tell("unlisten", address);
    },
  };
}

/** As Node does for a connection that a server has accepted. */
function serveConnection(server: Server, socket: Socket, count: number): void {
  if (count >= server.maxConnections) {
    socket.destroy();
    server.emit("drop");
    return;
  }
  socket.setNoDelay(true);
  socket.allowHalfOpen = true;
  server.emit("connection", socket);
  socket.resume();
}
