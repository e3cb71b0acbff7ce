// Calls a server in a test as an edge does: one request, one exchange, one answer.
import type { Caller, JsonObject, Result } from "@lethe/protocol";
import type { Server } from "../server.ts";
import { RecordingExchange, requestOf } from "./recording-exchange.ts";

export interface CallOptions {
  caller?: Caller;
  capabilities?: JsonObject;
  /** By lower-case name: the request came over HTTP. */
  headers?: Readonly<Record<string, string>>;
  /** Added to the params. */
  params?: JsonObject;
  /** Added to `_meta`. */
  meta?: JsonObject;
  exchange?: RecordingExchange;
}

export function call(
  server: Pick<Server, "dispatch">,
  method: string,
  params: JsonObject = {},
  options: CallOptions = {},
): Promise<Result> {
  const request = requestOf(method, params, { capabilities: options.capabilities ?? {} });
  Object.assign(request.params._meta, options.meta);
  return server.dispatch(request, options.exchange ?? new RecordingExchange(options.caller, options.headers));
}

export function callTool(
  server: Pick<Server, "dispatch">,
  name: string,
  args: JsonObject = {},
  options: CallOptions = {},
): Promise<Result> {
  return call(server, "tools/call", { name, arguments: args, ...options.params }, options);
}
