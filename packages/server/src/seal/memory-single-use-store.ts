// Replay protection in the memory of one process (E-28). A used state is kept until its token expires: a full store
// rejects new rounds instead.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { storeDefaults } from "../replicas/store-defaults.ts";
import { type AnswerLimits, AnswerShares, knownAnswerLimits } from "./answer-shares.ts";
import type { Round, SingleUseStore } from "./single-use-store.ts";

/** Limits of the used states and answers that are kept. */
export interface SingleUseLimits extends AnswerLimits {
  /** Used states kept until they expire. Default 100,000. */
  maxStates?: number;
  /** Of one authenticated caller. Default 10,000. */
  maxStatesPerCaller?: number;
}

const knownSingleUseLimits: KnownOptions<SingleUseLimits> = {
  ...knownAnswerLimits,
  maxStates: true,
  maxStatesPerCaller: true,
};

/** Options of `createMemorySingleUseStore`. */
export interface MemorySingleUseOptions extends SingleUseLimits {
  /** Returns the time in ms since 1970. Default: Date.now. */
  now?: () => number;
}

const knownMemorySingleUseOptions: KnownOptions<MemorySingleUseOptions> = { ...knownSingleUseLimits, now: true };

interface Used {
  readonly callerId: string | undefined;
  readonly expiresAt: number;
  isRunning: boolean;
  /** Kept while an identical request may arrive. */
  inputs: string | undefined;
  answer: string | undefined;
}

/**
 * Creates a store for one process. A full store never forgets a used state before it expires; it rejects new rounds instead. Other
 * processes with the same keys do not know these states: use a shared store there.
 *
 * @example
 * import { createMemorySingleUseStore } from "@lethe/server/stores";
 *
 * const store = createMemorySingleUseStore({ maxStates: 1_000 });
 * const round = { id: "token", callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes" };
 * console.log(await store.claim(round)); // { status: 'claimed' }
 */
export function createMemorySingleUseStore(options: MemorySingleUseOptions = {}): SingleUseStore {
  checkOptions("createMemorySingleUseStore", options, knownMemorySingleUseOptions);
  const { maxStates, maxStatesPerCaller, now = Date.now, ...answerLimits } = { ...storeDefaults.singleUse, ...options };
  const usedById = new Map<string, Used>();
  const countByCaller = new Map<string, number>();
  const shares = new AnswerShares({ ...answerLimits, now });

  function remove(id: string, { callerId }: Used): void {
    usedById.delete(id);
    shares.remove(id);
    if (callerId === undefined) return;
    const left = (countByCaller.get(callerId) ?? 0) - 1;
    if (left > 0) countByCaller.set(callerId, left);
    else countByCaller.delete(callerId);
  }

  /** Every state expires within the lifetime of a token, so checking the oldest is enough. */
  function expire(time: number): void {
    for (const [id, used] of usedById) {
      if (used.expiresAt > time) break;
      remove(id, used);
    }
    forgetAnswers(shares.expire());
  }

  function forgetAnswers(ids: readonly string[]): void {
    for (const id of ids) {
      const used = usedById.get(id);
      if (used) used.inputs = used.answer = undefined;
    }
  }

  return {
    claim({ id, callerId, expiresAt, inputs }) {
      expire(now());
      const used = usedById.get(id);
      if (used?.inputs === inputs) {
        if (used.answer !== undefined) return { status: "answered", answer: used.answer };
        if (used.isRunning) return { status: "running" };
      }
      if (used) return { status: "used" };
      const own = callerId === undefined ? 0 : (countByCaller.get(callerId) ?? 0);
      if (own >= maxStatesPerCaller) return { status: "full", isCaller: true };
      if (usedById.size >= maxStates) return { status: "full", isCaller: false };
      usedById.set(id, { callerId, expiresAt, isRunning: true, inputs, answer: undefined });
      if (callerId !== undefined) countByCaller.set(callerId, own + 1);
      return { status: "claimed" };
    },
    settle({ id, callerId }, answer) {
      const used = usedById.get(id);
      if (!used) return;
      used.isRunning = false;
      const forgotten = answer === undefined ? undefined : shares.add(id, callerId, answer);
      if (forgotten) {
        forgetAnswers(forgotten);
        used.answer = answer;
      } else used.inputs = undefined;
    },
    release({ id }: Round) {
      const used = usedById.get(id);
      if (used) remove(id, used);
    },
  };
}
