// Runs the rounds of a call: answers the input requests of the server and sends the request again, within limits.
import {
  type InputParams,
  type InputRequiredResult,
  isInputRequired,
  type KnownOptions,
  type Result,
} from "@lethe/protocol";
import { orCancelled, pause, toAbortSignal } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { TransportError } from "../call/transport-error.ts";
import { uncertainKey } from "../call/uncertain.ts";
import { answerInputRequests } from "./answer-input-requests.ts";
import type { Handlers } from "./handlers.ts";

/** Limits on the rounds in which a server asks for input before it answers. */
export interface RoundLimits {
  /** How many rounds of input requests one call may have. Default 10. */
  maxRounds?: number;
  /** How long all rounds may take together, including the user's time, in milliseconds. Default 900,000 (15 minutes). */
  maxMs?: number;
}

export const knownRoundLimits: KnownOptions<RoundLimits> = { maxRounds: true, maxMs: true };

/** The request that the server answered with `input_required`. */
export interface AskedRequest {
  readonly server: string;
  readonly method: string;
  /** The tool, prompt or URI. */
  readonly target: string;
  readonly signal: AbortSignal | undefined;
  /** Sends the request again with this input, a new id and the given signal. */
  retry(input: InputParams, signal: AbortSignal): Promise<Result>;
}

/** A result without input requests asks for a retry, which waits with back-off. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** Returns the first result other than `input_required`. */
export async function runRounds(
  first: InputRequiredResult,
  asked: AskedRequest,
  handlers: Handlers,
  limits: RoundLimits = {},
): Promise<Result> {
  const { maxRounds = 10, maxMs = 900_000 } = limits;
  const what = `${asked.method} to ${asked.server}`;
  const deadline = new Deadline(what, { timeoutMs: maxMs, maxTotalMs: maxMs }, asked.signal);
  const signal = toAbortSignal(deadline);
  let result: Result = first;
  let pauseMs = firstPauseMs;
  try {
    for (let round = 0; isInputRequired(result); round++) {
      if (round === maxRounds) {
        throw new TransportError("invalid", `${what}: the server still asks after ${maxRounds} rounds`);
      }
      const { inputRequests = {}, requestState } = result;
      const input: InputParams = requestState === undefined ? {} : { requestState };
      if (Object.keys(inputRequests).length === 0) {
        await pause(pauseMs, deadline);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      } else {
        const { server, method, target } = asked;
        const isCertain = result._meta?.[uncertainKey] !== true;
        const answers = answerInputRequests(inputRequests, handlers, { server, method, target, isCertain, signal });
        input.inputResponses = { ...(await orCancelled(answers, deadline)) };
      }
      result = await asked.retry(input, signal);
    }
    return result;
  } finally {
    deadline.clear();
  }
}
