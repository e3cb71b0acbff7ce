// Sends what nobody else has, until somebody hears it: Redis may be away for a moment, or whoever waits be without a connection.

export interface HearingOptions {
  /** How many heard it. Must not reject. */
  send(): Promise<number>;
  /** Pauses come to no more than this, in ms. */
  readonly patienceMs: number;
  /** Each pause is twice the one before, in ms. */
  readonly firstPauseMs: number;
  /** Default: no bound but the patience. */
  readonly maxPauseMs?: number;
  /** Nobody waits any more. Default: somebody does. */
  isOver?(): boolean;
}

/** False when nobody has. */
export async function untilHeard(options: HearingOptions): Promise<boolean> {
  const { send, patienceMs, firstPauseMs, maxPauseMs = Number.POSITIVE_INFINITY, isOver } = options;
  for (let waitedMs = 0, pauseMs = firstPauseMs; ; waitedMs += pauseMs, pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if ((await send()) > 0) return true;
    if (isOver?.() || waitedMs + pauseMs > patienceMs) return false;
    await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
