// Remembers the era of each server (D.2/1, D.3/1), so that legacy servers are not probed on every connection.

import { checkOptions, type Era, type HttpTransportName, type KnownOptions } from "@lethe/protocol";

/** The detected era of one server. */
export interface Verdict {
  /** "modern" for revision 2026-07-28, "legacy" for the revisions that begin with `initialize`. */
  readonly era: Era;
  /** The revision that was negotiated, for example "2025-11-25". */
  readonly revision: string;
  /** Set for a legacy server over HTTP only. */
  readonly transport?: HttpTransportName;
  /** When the era was detected, in ms since 1970. */
  readonly foundAt: number;
}

/** Remembers the eras of servers. Created by `createVerdictMemory`. */
export interface VerdictMemory {
  /** `endpoint` is the full URL or the whole command. Undefined if nothing is known or the verdict has expired. */
  get(endpoint: string): Verdict | undefined;
  /** Remembers a verdict from now on. */
  set(endpoint: string, verdict: Omit<Verdict, "foundAt">): void;
  /** Forgets a verdict that proved wrong. */
  delete(endpoint: string): void;
  /** The verdicts, to be stored beyond this process and passed back as `entries`. */
  entries(): [endpoint: string, verdict: Verdict][];
}

/** The contents and limits of a verdict memory. */
export interface VerdictMemoryOptions {
  /** Verdicts of an earlier process. Default none. */
  entries?: Iterable<readonly [endpoint: string, verdict: Verdict]>;
  /** Lifetime of a legacy verdict, in ms: an upgraded server would still accept legacy requests. Default 1 hour. */
  legacyTtlMs?: number;
  /** Limit of entries. The oldest is dropped first. Default 1000. */
  maxEntries?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

const knownVerdictMemoryOptions: KnownOptions<VerdictMemoryOptions> = {
  entries: true,
  legacyTtlMs: true,
  maxEntries: true,
  now: true,
};

/**
 * Creates a memory of the eras of servers, so that the next connection to a legacy server needs no detection. Holds 1,000 servers by
 * default, and legacy verdicts for one hour.
 *
 * @example
 * import { createVerdictMemory } from "@lethe/client";
 * import { connect } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const verdicts = createVerdictMemory({ legacyTtlMs: 600_000 });
 * const client = await connect(serving.url, { verdicts });
 * console.log(verdicts.get(serving.url)?.era); // modern
 * await client.close();
 * await serving.close();
 */
export function createVerdictMemory(options: VerdictMemoryOptions = {}): VerdictMemory {
  checkOptions("createVerdictMemory", options, knownVerdictMemoryOptions);
  const { legacyTtlMs = 3_600_000, maxEntries = 1000, now = Date.now } = options;
  const verdicts = new Map<string, Verdict>();

  function put(endpoint: string, verdict: Verdict): void {
    verdicts.delete(endpoint);
    verdicts.set(endpoint, verdict);
    if (verdicts.size > maxEntries) verdicts.delete(verdicts.keys().next().value as string);
  }

  for (const [endpoint, verdict] of options.entries ?? []) put(endpoint, verdict);

  return {
    get(endpoint) {
      const verdict = verdicts.get(endpoint);
      if (verdict?.era !== "legacy") return verdict;
      const ageMs = now() - verdict.foundAt;
      // After the clock was set back, an age can be negative, and the verdict would never expire.
      if (ageMs >= 0 && ageMs < legacyTtlMs) return verdict;
      verdicts.delete(endpoint);
      return undefined;
    },
    set: (endpoint, verdict) => put(endpoint, { ...verdict, foundAt: now() }),
    delete: (endpoint) => void verdicts.delete(endpoint),
    entries: () => [...verdicts],
  };
}
