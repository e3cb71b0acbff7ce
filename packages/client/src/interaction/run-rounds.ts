// The multi-round-trip driver (E.3): answers what a server asks and sends the request again, within bounds.
import { type InputParams, type InputRequiredResult, isInputRequired, type Result } from "@lethe/protocol";
import { orCancelled, pause, toAbortSignal } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { TransportError } from "../call/transport-error.ts";
import { uncertainKey } from "../call/uncertain.ts";
import { answerInputRequests } from "./answer-input-requests.ts";
import type { Handlers } from "./handlers.ts";

export interface RoundLimits {
  /** How often a server may ask within one call. Default 10. */
  maxRounds?: number;
  /** What all rounds may take together, the user's time included, in milliseconds. Default 900 000. */
  maxMs?: number;
}

/** The request that was answered by a question. */
export interface Asked {
  readonly server: string;
  readonly method: string;
  /** The tool, the prompt or the URI. */
  readonly target: string;
  readonly signal: AbortSignal | undefined;
  /** Sends the request again with this input, a new id and the given signal (E-24). */
  retry(input: InputParams, signal: AbortSignal): Promise<Result>;
}

/** A server that asks nothing wants to be asked again: not at once, and ever less often (E-25). */
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** The first result that is no question. */
export async function runRounds(
  question: InputRequiredResult,
  asked: Asked,
  handlers: Handlers,
  limits: RoundLimits = {},
): Promise<Result> {
  const { maxRounds = 10, maxMs = 900_000 } = limits;
  const what = `${asked.method} to ${asked.server}`;
  const deadline = new Deadline(what, { timeoutMs: maxMs, maxTotalMs: maxMs }, asked.signal);
  const signal = toAbortSignal(deadline);
  let result: Result = question;
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
