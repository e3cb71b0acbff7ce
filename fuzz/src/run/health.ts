// Heap and event loop of this process. Needs --expose-gc.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";

export interface Health {
  /** Heap size after a garbage collection, in bytes. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** The longest delay of the event loop since the last call, in ms. Another process on the same core increases it. */
  readonly delayMs: number;
  /** The CPU time of the longest turn of the event loop since the last call, in ms. Other processes do not affect it. */
  readonly busyMs: number;
}

export interface HealthMonitor {
  read(): Promise<Health>;
  stop(): void;
}

const tickMs = 20;

export function createHealthMonitor(): HealthMonitor {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let busyMs = 0;
  let last = process.cpuUsage();
  let lastAt = performance.now();
  const timer = setInterval(() => {
    const used = process.cpuUsage(last);
    const now = performance.now();
    // CPU time includes all threads, so limit it to the elapsed time.
    busyMs = Math.max(busyMs, Math.min((used.user + used.system) / 1_000, now - lastAt) - tickMs);
    last = process.cpuUsage();
    lastAt = now;
  }, tickMs);
  timer.unref();

  return {
    async read() {
      const delayMs = delays.max / 1e6;
      const busy = Math.max(0, busyMs);
      // Finalizers run between collections.
      for (let count = 0; count < 3; count++) {
        await turn();
        globalThis.gc?.();
      }
      const { heapUsed, rss } = process.memoryUsage();
      // The collections above delay the loop, too.
      await turn();
      delays.reset();
      busyMs = 0;
      last = process.cpuUsage();
      lastAt = performance.now();
      return { heapBytes: heapUsed, rssBytes: rss, delayMs: Number.isFinite(delayMs) ? delayMs : 0, busyMs: busy };
    },
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };
}
