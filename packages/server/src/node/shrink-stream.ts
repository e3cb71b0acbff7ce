// Releases what Node keeps of a request until its response ends, and nothing reads any more: a stream may be open for days.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Shared by all requests. */
const noHeaders: string[] = [];

/** `response` has its head and is about to write its first event. `request.headers` stays as it is. */
export function shrinkStream(request: IncomingMessage, response: ServerResponse): void {
  request.rawHeaders = noHeaders;
  const { socket } = response;
  // None yet while an earlier request of the connection runs.
  if (!socket) return;
  // Node keeps the text of the head as a tree of 24 strings, unless it is written by itself. The first event follows in the same packet.
  socket.cork();
  response.flushHeaders();
  process.nextTick(uncork, socket);
}

function uncork(socket: Socket): void {
  socket.uncork();
}
