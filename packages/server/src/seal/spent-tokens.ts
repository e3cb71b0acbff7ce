// Single use of sealed tokens (E-28). A token cannot enforce it alone: somebody has to remember what was spent.

/** Shared by all machines that open the same tokens, or single use holds on each machine alone. */
export interface SpentTokens {
  /** True for the first call with this id, false for every other until `expiresAt` (ms since 1970). Must be atomic. */
  spend(id: string, expiresAt: number): Promise<boolean> | boolean;
}

export interface MemorySpentTokensOptions {
  /** Default 10 000. While so many unexpired tokens are spent, no other can be: full means refused, never forgotten. */
  maxTokens?: number;
  now?: () => number;
}

/** Remembers in this process. */
export function createMemorySpentTokens(options: MemorySpentTokensOptions = {}): SpentTokens {
  const { maxTokens = 10_000, now = Date.now } = options;
  const expiryById = new Map<string, number>();
  return {
    spend(id, expiresAt) {
      const time = now();
      // Tokens of one seal expire in the order in which they are spent, more or less: looking at the oldest is enough.
      for (const [oldest, expiry] of expiryById) {
        if (expiry > time) break;
        expiryById.delete(oldest);
      }
      if (expiryById.has(id) || expiryById.size >= maxTokens) return false;
      expiryById.set(id, expiresAt);
      return true;
    },
  };
}
