// The raw form of a multi round-trip request (E.3): a handler returns its questions and the state of this round.
import type { InputRequests, JsonObject } from "@lethe/protocol";

export interface InputRequiredOptions {
  /** The questions, by keys that are unique within this round. */
  readonly inputRequests?: InputRequests;
  /** Comes back as `ctx.state` in the next round: encrypted, and bound to caller, method, target and arguments. */
  readonly state?: JsonObject;
}

/** Not yet a result: `state` is sealed into `requestState` on its way out. */
export class InputRequired {
  readonly inputRequests: InputRequests | undefined;
  readonly state: JsonObject | undefined;

  constructor(options: InputRequiredOptions) {
    this.inputRequests = options.inputRequests;
    this.state = options.state;
  }
}

/** What a tool, prompt or resource handler returns to ask the client for input. Throws when it asks and keeps nothing. */
export function inputRequired(options: InputRequiredOptions): InputRequired {
  if (options.inputRequests === undefined && options.state === undefined) {
    throw new TypeError("inputRequired needs inputRequests, state or both");
  }
  return new InputRequired(options);
}
