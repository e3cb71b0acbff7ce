// An address in front of PostgreSQL that leads to another server after a failover, as that of a load balancer does.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { joinSockets } from "../../../redis/src/testing/join-sockets.ts";

export interface SwitchedProxy {
  readonly port: number;
  /** Cuts all connections. The next ones lead to the server at this port. */
  switchTo(port: number): void;
  close(): Promise<void>;
}

export async function openSwitchedProxy(first: number): Promise<SwitchedProxy> {
  const sockets = new Set<Socket>();
  let target = first;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const listener = createServer((near) => joinSockets(near, connect(target, "127.0.0.1"), sockets)).listen(
    0,
    "127.0.0.1",
  );
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    switchTo(port) {
      target = port;
      cut();
    },
    async close() {
      listener.close();
      cut();
      await once(listener, "close");
    },
  };
}
