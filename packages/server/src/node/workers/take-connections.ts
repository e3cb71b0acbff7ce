// Lets the HTTP server of a worker serve the connections that its parent gives it. The server itself does not listen.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ConnectionMoves } from "./connection-moves.ts";
import { createGiveConnection } from "./give-connection.ts";
import type { ConnectionMessage, GivenMessage, ListenAnswer, ListenAt, TakenMessage } from "./listening.ts";
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

type ParentMessage = ConnectionMessage | GivenMessage;

/** Rejects with an Error that has a code, as `listen` of a server does. */
export async function takeConnections(
  link: ParentLink,
  server: Server,
  { count, track, idleTimeoutMs, ...at }: TakeConnectionsOptions,
): Promise<TakenConnections> {
  // The parent may give connections that waited for a worker before its answer arrives here, which takes another pipe.
  const early: [message: ParentMessage, socket: Socket | undefined][] = [];
  let receive = (message: ParentMessage, socket: Socket | undefined): void => void early.push([message, socket]);
  const onMessage = (received: unknown, socket: unknown): void => {
    const message = received as ParentMessage | undefined;
    if (message?.lethe === "connection" || message?.lethe === "given") receive(message, socket as Socket | undefined);
  };
  process.on("message", onMessage);
  const answer = await link.request<ListenAnswer>("listen", at);
  if ("problem" in answer) {
    process.off("message", onMessage);
    throw Object.assign(new Error(answer.problem), { code: answer.code });
  }
  const { address, port } = answer;
  const moves = new ConnectionMoves(createGiveConnection(link, address));
  const answerTo = (id: number, isTaken: boolean, isLost = false): void => {
    process.send?.({ lethe: "taken", id, isTaken, ...(isLost && { isLost }) } satisfies TakenMessage);
  };
  let isStopped = false;
  let lastId = 0;
  const isRefused = (message: ConnectionMessage): boolean =>
    isStopped || (message.moves !== undefined && !message.isReturned && count() >= server.maxConnections);
  receive = (message, socket) => {
    if (message.address !== address) return;
    if (message.lethe === "given") {
      if (message.id > lastId) answerTo(message.id, false, true);
      return;
    }
    lastId = message.id;
    // The parent gave it before it knew that this worker stops or is full.
    const isTaken = !isRefused(message);
    if (!isTaken) socket?.destroy();
    answerTo(message.id, isTaken);
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
