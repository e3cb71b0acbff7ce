// Notices that a client leaves before its request has ended, while nothing reads the body.
import type { IncomingMessage } from "node:http";

interface Breakable {
  /** The client left before the request had ended. */
  onBroken(): void;
}

const noticing: unique symbol = Symbol("lethe.noticing");

type NoticingRequest = IncomingMessage & { [noticing]?: Breakable | undefined };

export function noticeBroken(request: NoticingRequest, breakable: Breakable): void {
  request[noticing] = breakable;
  request.on("close", onClose);
}

/** One function for all requests, because a request keeps its listeners until its response has ended. */
function onClose(this: NoticingRequest): void {
  const breakable = this[noticing];
  this[noticing] = undefined;
  // A framework that has read the body may close the request before its response.
  if (!this.readableEnded) breakable?.onBroken();
}
