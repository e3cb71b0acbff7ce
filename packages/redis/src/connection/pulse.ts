// Whether what is published still comes round. A peer that vanished without a word, or a stand-by that took over beside the old
// one, leaves connections open on which nothing comes for hours; and a replica that hears nothing does not know it.

export interface PulseOptions {
  /** What has not come round after this time does not, in ms. */
  readonly patienceMs: number;
  /** Whether anything can come round. */
  isUp(): boolean;
  /** Publishes something that calls `heard`. */
  send(): Promise<unknown>;
  onSilent(): void;
}

export interface Pulse {
  heard(): void;
  close(): void;
}

/** In parts of the patience. */
const everyPart = 0.4;

export function startPulse({ patienceMs, isUp, send, onSilent }: PulseOptions): Pulse {
  let unheardSince: number | undefined;

  function beat(): void {
    if (!isUp()) {
      unheardSince = undefined;
      return;
    }
    unheardSince ??= performance.now();
    // Where this process itself stood still, what has come meanwhile is read first.
    if (performance.now() - unheardSince >= patienceMs) setImmediate(judge);
    else send().catch(() => {});
  }

  function judge(): void {
    if (unheardSince === undefined || !isUp()) return;
    unheardSince = undefined;
    onSilent();
  }

  const timer = setInterval(beat, patienceMs * everyPart).unref();
  return {
    heard() {
      unheardSince = undefined;
    },
    close: () => clearInterval(timer),
  };
}
