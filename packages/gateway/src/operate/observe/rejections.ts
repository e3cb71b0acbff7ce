// Requests that HTTP rejected before they reached an endpoint: their reasons, and how often the log mentions them.

/** The reason of each status. */
export const rejectionReasons: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request"],
  [401, "unauthenticated"],
  [403, "forbidden"],
  [404, "not_found"],
  [405, "method_not_allowed"],
  [406, "not_acceptable"],
  [408, "slow_body"],
  [413, "too_large"],
  [415, "unsupported_media_type"],
  [429, "rate_limited"],
  [503, "overloaded"],
]);

const logEveryMs = 10_000;

/** Counts rejections between two lines of the log, because a flood of requests must not become a flood of lines. */
export class RejectionCounts {
  readonly #counts = new Map<string, { count: number; nextAt: number }>();

  /** Returns how many rejections the next line of the log stands for, or 0 if there is none yet. */
  add(reason: string, now: number = Date.now()): number {
    const known = this.#counts.get(reason) ?? { count: 0, nextAt: 0 };
    this.#counts.set(reason, known);
    known.count += 1;
    if (now < known.nextAt) return 0;
    const { count } = known;
    known.count = 0;
    known.nextAt = now + logEveryMs;
    return count;
  }
}
