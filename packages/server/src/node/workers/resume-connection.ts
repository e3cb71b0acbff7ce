// Serves a kept-alive connection that another worker has served before.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * The server gets the connection with the first byte of its next request: from then on it limits the time for the head of the request.
 * Until then the connection is idle, and closes after the idle time.
 */
export function resumeConnection(server: Server, socket: Socket, idleTimeoutMs: number): void {
  const close = (): void => {
    socket.destroy();
  };
  socket.setNoDelay(true);
  socket.allowHalfOpen = true;
  socket.setTimeout(idleTimeoutMs, close);
  socket.once("error", close);
  socket.once("end", close);
  socket.once("data", (first: Buffer) => {
    socket.setTimeout(0, close);
    socket.off("error", close);
    socket.off("end", close);
    socket.pause();
    socket.unshift(first);
    server.emit("connection", socket);
    socket.resume();
  });
  socket.resume();
}
