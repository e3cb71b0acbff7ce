// Lets the HTTP server of a worker serve the connections that its parent gives it. The server itself does not listen.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ConnectionMoves } from "./connection-moves.ts";
import { createGiveConnection } from "./give-connection.ts";
import type { ConnectionMessage, ListenAnswer, ListenAt, TakenMessage } from "./listening.ts";
import type { ParentLink } from "./parent-link.ts";
import { resumeConnection } from "./resume-connection.ts";

export interface TakeConnectionsOptions extends ListenAt {
  /** Returns the number of open connections. */
  count(): number;
  /** Counts a connection before the server gets it. */
  track(socket: Socket): void;
  readonly idleTimeoutMs: number;
}

export interface TakenConnections {
  /** The port on which the parent listens. */
  readonly port: number;
  /** Gives connections to the workers that answer their requests. */
  readonly moves: ConnectionMoves;
  /** Takes no more connections. */
  stop(): void;
}

/** Rejects with an Error that has a code, as `listen` of a server does. */
export async function takeConnections(
  link: ParentLink,
  server: Server,
  { count, track, idleTimeoutMs, ...at }: TakeConnectionsOptions,
): Promise<TakenConnections> {
  // The parent may give connections that waited for a worker before its answer arrives here, which takes another pipe.
  const early: [message: ConnectionMessage, socket: Socket | undefined][] = [];
  let receive = (message: ConnectionMessage, socket: Socket | undefined): void => void early.push([message, socket]);
  const onMessage = (message: unknown, socket: unknown): void => {
    const connection = message as ConnectionMessage | undefined;
    if (connection?.lethe === "connection") receive(connection, socket as Socket | undefined);
  };
  process.on("message", onMessage);
  const answer = await link.request<ListenAnswer>("listen", at);
  if ("problem" in answer) {
    process.off("message", onMessage);
    throw Object.assign(new Error(answer.problem), { code: answer.code });
  }
  const { address, port } = answer;
  const moves = new ConnectionMoves(createGiveConnection(link, address));
  let isStopped = false;
  const isRefused = (message: ConnectionMessage): boolean =>
    isStopped || (message.moves !== undefined && !message.isReturned && count() >= server.maxConnections);
  receive = (message, socket) => {
    if (message.address !== address) return;
    // The parent gave it before it knew that this worker stops or is full.
    const isTaken = !isRefused(message);
    if (!isTaken) socket?.destroy();
    process.send?.({ lethe: "taken", id: message.id, isTaken } satisfies TakenMessage);
    // Undefined: the client has left meanwhile.
    if (!socket || !isTaken) return;
    if (message.moves === undefined) serveConnection(server, socket, count());
    else {
      track(socket);
      moves.arrived(socket, message.moves);
      resumeConnection(server, socket, idleTimeoutMs);
    }
  };
  // Node's own limits of time begin with this event.
  server.emit("listening");
  for (const [message, socket] of early) receive(message, socket);
  return {
    port,
    moves,
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
