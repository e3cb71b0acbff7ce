// Runs each round once (E-28). An identical retry gets the result of the first request, so that a client can fetch a lost
// response and nothing runs twice.
import {
  errorCode,
  invalidParams,
  isMcpError,
  type JsonRpcErrorObject,
  McpError,
  overloaded,
  type Result,
  tooManyRequests,
} from "@lethe/protocol";
import type { Claim, Round, SingleUseStore } from "./single-use-store.ts";

/** Lets each state be used once, and answers identical retries with the same result. Created by `createSingleUse`. */
export interface SingleUse {
  /**
   * Returns the result of `run`, or of an identical earlier request. Rejects with McpError for a used state or a failed store.
   */
  answer(round: Round, run: () => Promise<Result>, failures: RoundFailures): Promise<Result>;
}

/** How a failed round counts for its state, and what an identical retry gets. */
export interface RoundFailures {
  /** Whether a round that failed with this error had no effect: its state may then be used again. */
  isUnused(error: unknown): boolean;
  /** The error message for an identical retry. Default: "internal error". */
  messageOf?(error: unknown): string | undefined;
}

interface Outcome {
  readonly result?: Result;
  readonly error?: unknown;
  /** The stored text for identical requests. Undefined when there is none. */
  readonly text?: string | undefined;
}

interface Running {
  readonly inputs: string;
  readonly outcome: Promise<Outcome>;
}

/** How long a client should wait before it retries, in ms. */
const retryAfterMs = 1_000;
/** The same while the store is full, in ms. */
const fullRetryAfterMs = 10_000;

/**
 * Creates replay protection for `requestState` tokens over a store. A retry with identical inputs gets the result of the first
 * request; other inputs reject with -32602.
 *
 * @example
 * import { createSingleUse } from "@lethe/server/edge";
 * import { createMemorySingleUseStore } from "@lethe/server/stores";
 *
 * const singleUse = createSingleUse(createMemorySingleUseStore());
 * const round = { id: "token", callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes" };
 * const run = async () => ({ resultType: "complete" as const });
 * console.log(await singleUse.answer(round, run, { isUnused: () => false })); // { resultType: 'complete' }
 */
export function createSingleUse(store: SingleUseStore): SingleUse {
  /** Identical requests of one process share a run without the store. */
  const running = new Map<string, Running>();

  async function begin(round: Round, run: () => Promise<Result>, failures: RoundFailures): Promise<Outcome> {
    const claim = await store.claim(round);
    if (claim.status !== "claimed") return { text: textOf(claim) };
    let outcome: Outcome;
    try {
      const result = await run();
      outcome = { result, text: toText({ result }) };
    } catch (error) {
      if (failures.isUnused(error)) {
        await store.release(round);
        return { error };
      }
      outcome = { error, text: toText({ error: toRemembered(error, failures) }) };
    }
    await store.settle(round, outcome.text);
    return outcome;
  }

  return {
    async answer(round, run, failures) {
      const before = running.get(round.id);
      if (before && before.inputs !== round.inputs) throw alreadyAnswered();
      if (before) return fromText(await before.outcome);
      const outcome = begin(round, run, failures).finally(() => running.delete(round.id));
      running.set(round.id, { inputs: round.inputs, outcome });
      const { result, error, text } = await outcome;
      if (result) return result;
      if (error !== undefined) throw error;
      return fromText({ text });
    },
  };
}

/** Throws the error for a claim without a stored answer. */
function textOf(claim: Exclude<Claim, { status: "claimed" }>): string {
  switch (claim.status) {
    case "answered":
      return claim.answer;
    case "running":
      throw overloaded("the first request with this requestState is still running; retry", retryAfterMs);
    case "lost":
      throw new McpError(
        errorCode.internalError,
        "the process that ran this requestState ended before it answered; it was not run again",
        { data: { reason: "lost" } },
      );
    case "full":
      if (claim.isCaller) throw tooManyRequests("too many used states of this caller; retry", fullRetryAfterMs);
      throw overloaded("too many used states; retry", fullRetryAfterMs);
    case "used":
      throw alreadyAnswered();
  }
}

function alreadyAnswered(): McpError {
  return invalidParams("this requestState was used already: call again without it", { reason: "already_answered" });
}

/** Each request gets its own copy, because edges add members. */
function fromText({ text, result, error }: Outcome): Result {
  if (text === undefined) {
    if (result) return result;
    throw error;
  }
  const kept = JSON.parse(text) as { result?: Result; error?: JsonRpcErrorObject };
  if (kept.error) throw new McpError(kept.error.code, kept.error.message, { data: kept.error.data });
  return kept.result as Result;
}

function toRemembered(error: unknown, { messageOf }: RoundFailures): JsonRpcErrorObject {
  if (!isMcpError(error)) return { code: errorCode.internalError, message: messageOf?.(error) ?? "internal error" };
  const { code, message, data } = error;
  return { code, message, data };
}

/** Undefined for a result that is not JSON; the edge reports it. */
function toText(outcome: { result: Result } | { error: object }): string | undefined {
  try {
    return JSON.stringify(outcome);
  } catch {
    return undefined;
  }
}
