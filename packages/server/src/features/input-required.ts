// The raw form of a multi round-trip request (E.3): a handler returns its input requests and the state of this round.

import { checkOptions, type InputRequests, type JsonObject, type KnownOptions } from "@lethe/protocol";

export interface InputRequiredOptions {
  /** The input requests, by keys that are unique within this round. */
  readonly inputRequests?: InputRequests;
  /** Returned as `ctx.state` in the next round; encrypted, and bound to caller, method, target and arguments. */
  readonly state?: JsonObject;
}

const knownInputRequiredOptions: KnownOptions<InputRequiredOptions> = { inputRequests: true, state: true };

/** The return value of `inputRequired`; `state` is sealed into `requestState`. */
export class InputRequired {
  readonly inputRequests: InputRequests | undefined;
  readonly state: JsonObject | undefined;

  constructor(options: InputRequiredOptions) {
    this.inputRequests = options.inputRequests;
    this.state = options.state;
  }
}

/**
 * Return it from a tool, prompt or resource handler to request input without `ctx.elicit`. The client sends the responses with a
 * retry, which runs the handler again with `ctx.inputResponses` and `ctx.state`. Throws an Error without requests and state.
 *
 * @example
 * import { createServer, inputRequired } from "@lethe/server";
 *
 * const server = createServer({ name: "files", version: "1.0.0" });
 * server.tool("delete", {
 *   handler(_, ctx) {
 *     if (ctx.inputResponses) return "Deleted.";
 *     const params = { message: "Delete all files?", requestedSchema: { type: "object", properties: {} } } as const;
 *     return inputRequired({ inputRequests: { sure: { method: "elicitation/create", params } } });
 *   },
 * });
 */
export function inputRequired(options: InputRequiredOptions): InputRequired {
  checkOptions("inputRequired", options, knownInputRequiredOptions);
  if (options.inputRequests === undefined && options.state === undefined) {
    throw new TypeError("inputRequired needs inputRequests, state or both");
  }
  return new InputRequired(options);
}
