// The sleeps of one run of a task, and its waits for callbacks, measured by the clock of the store.
import type { Clock } from "../clock/clock.ts";
import { InteractionError } from "../interaction/interaction-error.ts";
import type { CallbackEnd } from "../interaction/journal.ts";
import type { TaskRounds } from "./stored-task.ts";
import { findCallback, type PendingSleeps } from "./task-state.ts";

export interface TaskSleepsOptions {
  readonly clock: Clock;
  /** For all sleeps of the task, in ms. */
  readonly maxSleepMs: number;
  /** The rounds of a stored task, and the time of the store when this process acquired it, in ms since 1970. */
  readonly earlier?: { readonly rounds: TaskRounds; readonly storeTime: number } | undefined;
}

export class TaskSleeps {
  readonly #options: TaskSleepsOptions;
  readonly #pending = new Map<string, { readonly dueAt: number } | { readonly ms: number; readonly begunAt: number }>();

  constructor(options: TaskSleepsOptions) {
    this.#options = options;
  }

  /** Returns the rest of the sleep in ms. Throws an InteractionError if the task would sleep too long in total. */
  begin(key: string, ms: number): number {
    const { clock, maxSleepMs, earlier } = this.#options;
    const { sleeps = {}, sleptMs = 0 } = earlier?.rounds ?? {};
    const dueAt = sleeps[key];
    if (earlier && dueAt !== undefined) {
      this.#pending.set(key, { dueAt });
      // Only the store knows the time: between its answer and now, a clock of this process may have stood still.
      return Math.max(0, dueAt - earlier.storeTime);
    }
    // Conservative if the sleep is parallel to another one.
    if (sleptMs + ms > maxSleepMs) {
      throw new InteractionError(
        `ctx.sleep: a task sleeps at most ${maxSleepMs} ms in total (tasks.maxSleepMs); it slept ${sleptMs} ms, and wants ${ms} ms more`,
      );
    }
    this.#pending.set(key, { ms, begunAt: clock.now() });
    return ms;
  }

  /** Undefined while no request came and the time is not over. */
  beginCallback(key: string, ms: number): CallbackEnd | undefined {
    const { rounds } = this.#options.earlier ?? {};
    const callback = rounds && findCallback(rounds, key);
    if (callback && "body" in callback) return { body: callback.body };
    return this.begin(key, ms) <= 0 ? "timed out" : undefined;
  }

  end(key: string): void {
    this.#pending.delete(key);
  }

  /** The sleeps that are not over. */
  pending(): PendingSleeps {
    const now = this.#options.clock.now();
    const sleeps = [...this.#pending].map(([key, sleep]) => {
      if ("dueAt" in sleep) return [key, sleep];
      return [key, { restMs: Math.max(0, Math.ceil(sleep.ms - (now - sleep.begunAt))) }];
    });
    return Object.fromEntries(sleeps) as PendingSleeps;
  }
}

/** Whether a handler on its request may leave this process: once its call has become a task. */
export class Departure {
  readonly allowed: Promise<void>;
  allow: () => void = () => {};
  refuse: (error: unknown) => void = () => {};

  constructor() {
    this.allowed = new Promise((resolve, reject) => {
      this.allow = resolve;
      this.refuse = reject;
    });
    // Not every handler that might have waited does.
    this.allowed.catch(() => {});
  }
}
