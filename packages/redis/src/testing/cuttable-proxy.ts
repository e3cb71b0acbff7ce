// A TCP proxy to Redis that a test can cut for one process while others stay connected.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { joinSockets } from "./join-sockets.ts";

export interface CuttableProxy {
  url: string;
  /** Closes all connections and rejects new ones until `mend`. */
  cut(): void;
  /** Forwards nothing more, and leaves all connections open, also new ones, until `mend` closes them. */
  swallow(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openCuttableProxy(url: string): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  const swallowed = new Set<Socket>();
  let isCut = false;
  let isSwallowing = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    if (isSwallowing) return hold(near);
    joinSockets(near, connect(Number(new URL(url).port), "127.0.0.1"), sockets);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  function hold(socket: Socket): void {
    swallowed.add(socket.on("error", () => {}).on("close", () => swallowed.delete(socket)));
  }

  function end(): void {
    for (const socket of swallowed) socket.destroy();
    for (const socket of sockets) socket.destroy();
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    cut() {
      isCut = true;
      end();
    },
    swallow() {
      isSwallowing = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      isCut = false;
      if (isSwallowing) end();
      isSwallowing = false;
    },
    async close() {
      end();
      server.close();
      await once(server, "close");
    },
  };
}
