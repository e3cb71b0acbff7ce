// The next state of a task: asked for after a while, or told before that (F-16, F-23).
import { type DetailedTask, isDetailedTask } from "@lethe/protocol";
import { type CancelSignal, pause } from "../call/cancel-signal.ts";
import type { Change } from "../subscriptions/change.ts";
import type { Subscription, Subscriptions } from "../subscriptions/create-subscriptions.ts";

export interface TaskNews {
  /** True when the server tells: then asking is only to be sure. */
  readonly isListening: boolean;
  /** Resolves after `ms`, or with the state that is told before. */
  wait(ms: number, signal: CancelSignal): Promise<DetailedTask | undefined>;
  close(): void;
}

/** Nothing is ever told. */
export const noNews: TaskNews = {
  isListening: false,
  async wait(ms, signal) {
    await pause(ms, signal);
    return undefined;
  },
  close() {},
};

/** A server that will not tell of this task is asked, as if there were no news. */
export function listenForTask(subscriptions: Subscriptions, taskId: string): TaskNews {
  let told: { readonly task: DetailedTask | undefined } | undefined;
  let wake: () => void = () => {};
  let subscription: Subscription | undefined;
  let isClosed = false;

  function hear(change: Change): void {
    if (change.kind !== "task" || change.taskId !== taskId) return;
    const { task } = change;
    tell(isDetailedTask(task) ? task : undefined);
  }

  /** Undefined: something may have happened, ask. */
  function tell(task: DetailedTask | undefined): void {
    told = { task };
    wake();
  }

  subscriptions.subscribe({ taskIds: [taskId] }, hear).then(
    (made) => {
      if (isClosed) return made.close();
      subscription = made;
      // What happened before the server began to tell.
      tell(undefined);
    },
    () => {
      // Then it is asked.
    },
  );

  return {
    get isListening() {
      return subscription?.honoured.taskIds?.includes(taskId) === true;
    },
    async wait(ms, signal) {
      const stop = new AbortController();
      wake = () => stop.abort();
      const end = () => stop.abort(signal.reason);
      signal.addEventListener("abort", end);
      try {
        if (!told) await pause(ms, stop.signal).catch(() => {});
        if (signal.aborted) throw signal.reason;
        const heard = told;
        told = undefined;
        return heard?.task;
      } finally {
        signal.removeEventListener("abort", end);
        wake = () => {};
      }
    },
    close() {
      isClosed = true;
      subscription?.close();
    },
  };
}
