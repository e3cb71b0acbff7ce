// The sleeps of one run of a handler. Short ones wait in this process; for the others a task leaves it.
import { InteractionError } from "./interaction-error.ts";
import type { JournalHome } from "./journal.ts";
import type { Settle } from "./waiting-step.ts";

/** Tasks also wait in the process for sleeps of this length: workers look for tasks that are due about once a second. */
const shortSleepMs = 1_000;

export interface SleepsOptions {
  readonly home: JournalHome | undefined;
  /** For a call that is no task, in ms. */
  readonly maxSleepMs: number;
  /** Waits in this process. */
  readonly pauseFor: (ms: number) => Promise<void>;
}

interface Sleeper extends Settle {
  readonly label: string;
  mayLeave: boolean;
}

export class Sleeps {
  readonly #options: SleepsOptions;
  readonly #leaving = new Set<Sleeper>();
  #count = 0;

  constructor(options: SleepsOptions) {
    this.#options = options;
  }

  /** Sleeps are numbered in the order of their calls. */
  nextKey(): string {
    this.#count += 1;
    return String(this.#count);
  }

  /**
   * How to wait for the rest of a sleep in this process. Undefined when the task must leave it. Throws an InteractionError for a sleep
   * that is too long.
   */
  begin(key: string, ms: number): (() => Promise<void>) | undefined {
    const { home, maxSleepMs, pauseFor } = this.#options;
    const rest = home?.beginSleep ? home.beginSleep(key, ms) : ms;
    if (rest <= 0) return async () => {};
    if (rest <= shortSleepMs) return () => pauseFor(rest);
    if (home?.beginSleep) return undefined;
    if (ms <= maxSleepMs) return () => pauseFor(ms);
    throw new InteractionError(
      `ctx.sleep: a call that is no task sleeps at most ${maxSleepMs} ms (interaction.maxSleepMs), got ${ms} ms. Define the tool with ` +
        'task: "auto" or "always", and call it with a client that declares tasks',
    );
  }

  /** Undefined when the task must wait for the callback outside of this process. */
  beginCallback(key: string, timeoutMs: number): (() => unknown) | undefined {
    const end = this.#options.home?.beginCallback?.(key, timeoutMs);
    return end && (() => (end === "timed out" ? undefined : end));
  }

  /** Waits until the task can leave this process, and calls `onLeave` then. */
  leave(label: string, settle: Settle, onLeave: () => void): void {
    const sleeper = { label, ...settle, mayLeave: false };
    this.#leaving.add(sleeper);
    const leave = () => {
      sleeper.mayLeave = true;
      onLeave();
    };
    const durable = this.#options.home?.whenDurable?.();
    if (durable === undefined) leave();
    durable?.then(leave, (error: unknown) => {
      this.#leaving.delete(sleeper);
      settle.reject(error);
    });
  }

  /** Whether a round may end because the handler sleeps. */
  get mayLeave(): boolean {
    for (const { mayLeave } of this.#leaving) if (mayLeave) return true;
    return false;
  }

  get labels(): readonly string[] {
    return [...this.#leaving].map(({ label }) => label);
  }

  /** The sleeps for which the handler waits when its round ends. */
  get waiting(): Iterable<Settle> {
    return this.#leaving;
  }
}
