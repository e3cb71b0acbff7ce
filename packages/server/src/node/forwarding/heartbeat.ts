// Sends a message to itself through the shared store to detect a dead connection. A store that vanished, or a failover, can leave
// connections open on which nothing arrives for hours.

export interface HeartbeatOptions {
  /** The connection is dead when a heartbeat takes longer than this, in ms. */
  readonly patienceMs: number;
  /** Whether the connection is established. */
  isUp(): boolean;
  /** Sends a message whose arrival calls `received`. */
  send(): Promise<unknown>;
  onSilent(): void;
}

export interface Heartbeat {
  received(): void;
  close(): void;
}

/** The interval of heartbeats as a part of `patienceMs`. */
const intervalPart = 0.4;

export function startHeartbeat({ patienceMs, isUp, send, onSilent }: HeartbeatOptions): Heartbeat {
  let unansweredSince: number | undefined;

  function beat(): void {
    if (!isUp()) {
      unansweredSince = undefined;
      return;
    }
    unansweredSince ??= performance.now();
    // After a stall of this process, messages that arrived meanwhile are read first.
    if (performance.now() - unansweredSince >= patienceMs) setImmediate(judge);
    else send().catch(() => {});
  }

  function judge(): void {
    if (unansweredSince === undefined || !isUp()) return;
    unansweredSince = undefined;
    onSilent();
  }

  const timer = setInterval(beat, patienceMs * intervalPart).unref();
  return {
    received() {
      unansweredSince = undefined;
    },
    close: () => clearInterval(timer),
  };
}
