// How long and by whom an answer may be kept (E-50), as an author says it.
import type { CacheHints } from "@lethe/protocol";

/** Throws an Error for a time that no client could read. */
export function requireCacheHints(hints: CacheHints): CacheHints {
  const { ttlMs } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0) throw new Error(`ttlMs: an integer of 0 or more expected, got ${ttlMs}`);
  return hints;
}
