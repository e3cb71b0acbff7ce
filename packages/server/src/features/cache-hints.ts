// Validates the cache hints of an author (E-50).
import type { CacheHints } from "@lethe/protocol";

/** Throws an Error for an invalid time. */
export function requireCacheHints(hints: CacheHints): CacheHints {
  const { ttlMs } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0) throw new Error(`ttlMs: an integer of 0 or more expected, got ${ttlMs}`);
  return hints;
}
