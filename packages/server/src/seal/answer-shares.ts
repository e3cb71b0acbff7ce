// Limits the stored results of rounds: their bytes, each caller's share, and how long they are kept.

import type { KnownOptions } from "@lethe/protocol";
import { storeDefaults } from "../replicas/store-defaults.ts";

/** How long and how much of answers is kept for identical retries. */
export interface AnswerLimits {
  /** How long an answer is remembered for an identical retry, in ms. Default 60,000. */
  keepAnswersMs?: number;
  /** Bytes of all remembered answers. The oldest make room. Default 16 MiB. */
  maxAnswerBytes?: number;
  /** Bytes of one authenticated caller's answers. The caller's oldest make room. Default 2 MiB. */
  maxAnswerBytesPerCaller?: number;
}

export const knownAnswerLimits: KnownOptions<AnswerLimits> = {
  keepAnswersMs: true,
  maxAnswerBytes: true,
  maxAnswerBytesPerCaller: true,
};

const defaultAnswerLimits: Required<AnswerLimits> = {
  keepAnswersMs: storeDefaults.singleUse.keepAnswersMs,
  maxAnswerBytes: 16 * 1024 * 1024,
  maxAnswerBytesPerCaller: 2 * 1024 * 1024,
};

interface Share {
  bytes: number;
  /** Oldest first. */
  readonly sizes: Map<string, number>;
}

interface Kept {
  readonly callerId: string | undefined;
  readonly until: number;
}

/** A UTF-16 unit takes up to two bytes of memory. */
const bytesPerUnit = 2;

/**
 * Limits the remembered answers of a SingleUseStore: their bytes, each caller's share, and how long they are kept.
 *
 * @example
 * import { AnswerShares } from "@lethe/server/stores";
 *
 * const shares = new AnswerShares({ maxAnswerBytes: 20 });
 * shares.add("first", "ann", "12345678");
 * console.log(shares.add("second", "ann", "12345678")); // [ 'first' ]
 */
export class AnswerShares {
  readonly #limits: Required<AnswerLimits>;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #shares = new Map<string | undefined, Share>();
  #bytes = 0;

  constructor({ now = Date.now, ...limits }: AnswerLimits & { now?: (() => number) | undefined }) {
    this.#limits = { ...defaultAnswerLimits, ...limits };
    this.#now = now;
  }

  /** Bytes of all remembered answers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an answer and returns the ids whose answers must be dropped; undefined when the answer is too large. */
  add(id: string, callerId: string | undefined, text: string): string[] | undefined {
    const { keepAnswersMs, maxAnswerBytes, maxAnswerBytesPerCaller } = this.#limits;
    const size = text.length * bytesPerUnit;
    const ownMax = callerId === undefined ? maxAnswerBytes : Math.min(maxAnswerBytes, maxAnswerBytesPerCaller);
    if (size > ownMax) return undefined;
    const forgotten = this.expire();
    const forget = (oldest: string): void => {
      forgotten.push(oldest);
      this.remove(oldest);
    };
    const share = this.#shares.get(callerId) ?? { bytes: 0, sizes: new Map() };
    for (const oldest of share.sizes.keys()) {
      if (share.bytes + size <= ownMax) break;
      forget(oldest);
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes + size <= maxAnswerBytes) break;
      forget(oldest);
    }
    // The last removal may have deleted the share.
    this.#shares.set(callerId, share);
    share.sizes.set(id, size);
    share.bytes += size;
    this.#bytes += size;
    this.#kept.set(id, { callerId, until: this.#now() + keepAnswersMs });
    return forgotten;
  }

  /** Returns the expired ids. All have the same time to live, so the order of insertion is the order of expiry. */
  expire(): string[] {
    const time = this.#now();
    const expired: string[] = [];
    for (const [id, { until }] of this.#kept) {
      if (until > time) break;
      expired.push(id);
      this.remove(id);
    }
    return expired;
  }

  remove(id: string): void {
    const kept = this.#kept.get(id);
    const share = kept && this.#shares.get(kept.callerId);
    if (!kept || !share) return;
    const size = share.sizes.get(id) ?? 0;
    this.#kept.delete(id);
    share.sizes.delete(id);
    share.bytes -= size;
    this.#bytes -= size;
    if (share.sizes.size === 0) this.#shares.delete(kept.callerId);
  }
}
