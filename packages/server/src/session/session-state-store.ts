// Where the state of sessions is kept that does not travel in a handle. All processes of a deployment share one store.

/** The state of a session as a store keeps it. */
export interface StoredSession {
  /** JSON. */
  readonly text: string;
  /** Above 0. Increases with each write, and a session that begins under the key of an earlier one has a higher version. */
  readonly version: number;
}

/**
 * Keeps session state by key. Keys are digests: they reveal neither a caller nor a handle. Methods reject with a retryable McpError while
 * the store is unavailable.
 */
export interface SessionStateStore {
  /** Undefined for a session that does not exist or has expired. */
  read(key: string): Promise<StoredSession | undefined>;
  /**
   * Writes the state if the stored version is `expected`; 0 stands for no session. Atomic. Returns whether it was written. The session
   * expires after `ttlMs`.
   */
  write(key: string, text: string, options: { readonly expected: number; readonly ttlMs: number }): Promise<boolean>;
  /** Deletes the session if its version is `expected`. Atomic. Returns whether it was deleted. */
  delete(key: string, expected: number): Promise<boolean>;
}

/** The version after `before`, at the time `now` in ms since 1970: an expired session leaves no version to count from. */
export function nextVersion(before: number, now: number): number {
  return Math.max(before + 1, Math.floor(now));
}
