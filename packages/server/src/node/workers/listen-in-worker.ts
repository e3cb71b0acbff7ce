// Listens for the HTTP server of a worker.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionMoves } from "./connection-moves.ts";
import type { ListenAt } from "./listening.ts";
import { takeConnections } from "./take-connections.ts";
import { openParentLink } from "./worker-environment.ts";

export interface ListenInWorkerOptions extends ListenAt {
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Adds one that the server does not have yet. */
  track(socket: Socket): void;
  readonly idleTimeoutMs: number;
}

export interface ListeningInWorker {
  readonly port: number;
  readonly moves: ConnectionMoves;
  /** Calls `done` when no connection is left. */
  stop(done: () => void): void;
}

/** Rejects with an Error that has a code. */
export async function listenInWorker(
  server: Server,
  { sockets, track, idleTimeoutMs, host, port: wanted }: ListenInWorkerOptions,
): Promise<ListeningInWorker> {
  const link = openParentLink();
  if (!link) throw new Error("this process is no worker");
  const count = () => sockets.size;
  const { port, moves, stop } = await takeConnections(link, server, {
    ...{ host, port: wanted, count, track, idleTimeoutMs },
  });
  return {
    port,
    moves,
    stop(done) {
      stop();
      const check = (): void => {
        const [open] = sockets;
        // The listeners that forget a closed connection were added before.
        if (open) open.once("close", check);
        else done();
      };
      check();
    },
  };
}
