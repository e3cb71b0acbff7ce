// Remembers which era a server speaks (D.2/1, D.3/1), so that an old one is not asked a question it cannot answer.
import type { Era } from "@lethe/protocol";

export interface Verdict {
  readonly era: Era;
  readonly revision: string;
  /** Only for a legacy server over HTTP. */
  readonly transport?: "streamable-http" | "http-sse";
  /** When it was found, in milliseconds since 1970. */
  readonly foundAt: number;
}

export interface VerdictMemory {
  /** `endpoint` is the full URL, or the whole command. Undefined when nothing is known, or not any more. */
  get(endpoint: string): Verdict | undefined;
  set(endpoint: string, verdict: Omit<Verdict, "foundAt">): void;
  /** After a contradiction. */
  delete(endpoint: string): void;
  /** For keeping it beyond this process; give it back as `entries`. */
  entries(): [endpoint: string, verdict: Verdict][];
}

export interface VerdictMemoryOptions {
  entries?: Iterable<readonly [endpoint: string, verdict: Verdict]>;
  /** A legacy verdict never fails by itself after the server is upgraded, therefore it ends (J-30). Default 1 hour. */
  legacyTtlMs?: number;
  /** Default 1000; the oldest goes first. */
  maxEntries?: number;
  now?: () => number;
}

export function createVerdictMemory(options: VerdictMemoryOptions = {}): VerdictMemory {
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
      // A clock that was set back makes an age negative, and a verdict immortal.
      if (ageMs >= 0 && ageMs < legacyTtlMs) return verdict;
      verdicts.delete(endpoint);
      return undefined;
    },
    set: (endpoint, verdict) => put(endpoint, { ...verdict, foundAt: now() }),
    delete: (endpoint) => void verdicts.delete(endpoint),
    entries: () => [...verdicts],
  };
}
