// Measures how long a starting process has been silent, to decide whether it ignored `server/discover`.

export interface StartActivity {
  /** Call it with each line on stdout, message or not. */
  onStdout(): void;
  /** Call it with each line on stderr. */
  onStderr(): void;
  /**
   * Resolves when the process seems to have ignored a request, or when `stop` is called: `probeTimeoutMs` after its first
   * line on stdout, or after `probeTimeoutMs` of silence on stderr, because an installer also writes there. A process that
   * writes nothing gets a quarter of its start budget, and one that keeps writing to stderr gets half of it.
   */
  readonly ignored: Promise<void>;
  stop(): void;
}

export interface StartLimits {
  readonly startTimeoutMs: number;
  readonly probeTimeoutMs: number;
}

export function watchStart({ startTimeoutMs, probeTimeoutMs }: StartLimits): StartActivity {
  const startedAt = performance.now();
  let isOnStdout = false;
  let isStopped = false;
  let resolveIgnored: () => void = () => {};
  const ignored = new Promise<void>((resolve) => {
    resolveIgnored = resolve;
  });
  let timer = setTimeout(resolveIgnored, startTimeoutMs / 4);

  function wait(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(resolveIgnored, ms);
  }

  return {
    onStdout() {
      if (isOnStdout || isStopped) return;
      isOnStdout = true;
      wait(probeTimeoutMs);
    },
    onStderr() {
      if (isOnStdout || isStopped) return;
      const leftMs = startedAt + startTimeoutMs / 2 - performance.now();
      wait(Math.max(0, Math.min(probeTimeoutMs, leftMs)));
    },
    ignored,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      resolveIgnored();
    },
  };
}
