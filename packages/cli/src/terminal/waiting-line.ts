// Shows that a call is still running: a line with the seconds, from the first second on. Printed only on a terminal.
import { createProgressLine } from "./progress-line.ts";

export interface WaitingLine {
  /** Removes the line before other output. It comes back after a second without output. */
  clear(): void;
  /** Shows no line until the returned function is called, such as while the user types. */
  pause(): () => void;
  stop(): void;
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const tickMs = 1_000;

/** `name` is what the user waits for. */
export function createWaitingLine(terminal: Terminal, name: string): WaitingLine {
  const line = createProgressLine(terminal);
  if (terminal.isTTY !== true) return { clear() {}, pause: () => () => {}, stop() {} };
  const startedAt = performance.now();
  let isBusy = false;
  let pauses = 0;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (pauses === 0 && !isBusy) line.show(`waiting for ${name} … ${seconds} s (Ctrl-C cancels)`);
    isBusy = false;
  }, tickMs);
  timer.unref();
  return {
    clear() {
      isBusy = true;
      line.clear();
    },
    pause() {
      pauses += 1;
      line.clear();
      return () => {
        pauses -= 1;
        isBusy = true;
      };
    },
    stop() {
      clearInterval(timer);
      line.clear();
    },
  };
}

/** Shows on stderr that the user waits for `name`, until `running` settles. */
export async function whileWaiting<T>(name: string, running: Promise<T>): Promise<T> {
  const line = createWaitingLine(process.stderr, name);
  try {
    return await running;
  } finally {
    line.stop();
  }
}
