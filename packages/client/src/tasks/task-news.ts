// Waits for the next state of a task: polled after an interval, or notified before that (F-16, F-23).
import { type DetailedTask, isDetailedTask } from "@lethe/protocol";
import { type CancelSignal, pause } from "../call/cancel-signal.ts";
import type { Change } from "../subscriptions/change.ts";
import type { MergedSubscriptions } from "../subscriptions/merged-subscriptions.ts";
import type { Subscription } from "../subscriptions/subscriber.ts";

export interface TaskNews {
  /** True if the server sends notifications. Polling is only a safeguard then. */
  readonly isListening: boolean;
  /** Resolves after `ms`, or earlier with a notified state. */
  wait(ms: number, signal: CancelSignal): Promise<DetailedTask | undefined>;
  close(): void;
}

/** For tasks without notifications. */
export const noNews: TaskNews = {
  isListening: false,
  async wait(ms, signal) {
    await pause(ms, signal);
    return undefined;
  },
  close() {},
};

/** If the server does not grant notifications for this task, polling continues as without them. */
export function listenForTask(subscriptions: MergedSubscriptions, taskId: string): TaskNews {
  let told: { readonly task: DetailedTask | undefined } | undefined;
  let wake: () => void = () => {};
  let subscription: Subscription | undefined;
  let isClosed = false;

  function hear(change: Change): void {
    if (change.kind !== "task" || change.taskId !== taskId) return;
    const { task } = change;
    tell(isDetailedTask(task) ? task : undefined);
  }

  /** Undefined: the state may have changed, poll. */
  function tell(task: DetailedTask | undefined): void {
    told = { task };
    wake();
  }

  subscriptions.subscribe({ taskIds: [taskId] }, hear).then(
    (made) => {
      if (isClosed) return made.close();
      subscription = made;
      // Changes before the subscription took effect.
      tell(undefined);
    },
    () => {
      // Then polling continues.
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
