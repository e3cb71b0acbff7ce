// Requests whose HTTP messages a program shows. The message wires of older revisions know a request only by its params.
import type { JsonObject, JsonRpcMessage, ModernRequest } from "@lethe/protocol";

type Observer = NonNullable<ModernRequest["onHttpHeads"]>;

const observers = new WeakMap<object, Observer>();

/** The message with these params carries the request. */
export function observeParams(params: JsonObject | undefined, { onHttpHeads }: ModernRequest): void {
  if (onHttpHeads && params) observers.set(params, onHttpHeads);
}

/** Passes the heads of the HTTP messages on, if the request of the message is observed. */
export function reportHeads(message: JsonRpcMessage, heads: Parameters<Observer>[0]): void {
  if ("params" in message && message.params) observers.get(message.params)?.(heads);
}
