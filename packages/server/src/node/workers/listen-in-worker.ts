// Listens for the HTTP server of a worker.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ListenAt } from "./listening.ts";
import { takeConnections } from "./take-connections.ts";
import { openParentLink } from "./worker-environment.ts";

export interface ListenInWorkerOptions extends ListenAt {
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Rejects with an Error that has a code. `stop` calls `done` when no connection is left. */
export async function listenInWorker(
  server: Server,
  { sockets, host, port: wanted }: ListenInWorkerOptions,
): Promise<{ readonly port: number; stop(done: () => void): void }> {
  const link = openParentLink();
  if (!link) throw new Error("this process is no worker");
  const { port, stop } = await takeConnections(link, server, { host, port: wanted, count: () => sockets.size });
  return {
    port,
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
