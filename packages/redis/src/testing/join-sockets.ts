// The core of TCP proxies in tests.
import type { Socket } from "node:net";

/** Forwards what either socket receives to the other one, and closes both together. `open` contains them until then. */
export function joinSockets(near: Socket, far: Socket, open: Set<Socket>): void {
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      open.delete(socket);
      other.destroy();
    });
    socket.pipe(other);
  }
}
