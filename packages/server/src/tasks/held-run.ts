// A running task as its worker sees it. While the store is out of reach, its writes and its next step wait: an outage ends no run.
import { isTerminal, type JsonObject } from "@lethe/protocol";
import { type Clock, pause } from "../clock/clock.ts";
import type { JournalEntry } from "../interaction/journal.ts";
import type { StoredTask } from "./stored-task.ts";
import type { TaskHome } from "./task-home.ts";
import type { TaskRun } from "./task-run.ts";
import { callable, reported } from "./task-state.ts";
import { type HeldTask, isUnavailable, type TaskStore } from "./task-store.ts";
import type { WorkerLease } from "./worker-lease.ts";

/** What all runs of one worker share. */
export interface RunHost {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly lease: WorkerLease;
  readonly isClosed: boolean;
  publishState(task: StoredTask): void;
  /** A suspect made progress, so this worker may run another one. */
  suspectCleared(): void;
}

export interface HeldRunOptions extends HeldTask {
  readonly expiresInMs: number;
  readonly isSuspect: boolean;
  /** Before this run. */
  readonly deaths: number;
  /** When this worker asked the store for the task, by the clock of this process. */
  readonly claimedAt: number;
}

/** The pause between two attempts to reach the store, in ms. */
const retryEveryMs = 250;

export class HeldRun implements TaskHome, HeldTask {
  readonly taskId: string;
  readonly fence: number;
  readonly claimedAt: number;
  /** The task is certainly this worker's until a lease after this time. The answer to a claim may come later than that. */
  #confirmedAt: number;
  readonly #expiresAt: number;
  readonly #deaths: number;
  readonly #host: RunHost;
  #isSuspect: boolean;
  #isLost = false;
  #run: TaskRun | undefined;
  /** Resolves when the outcome of the run is stored. */
  finished: Promise<void> = Promise.resolve();

  constructor(host: RunHost, { taskId, fence, claimedAt, expiresInMs, isSuspect, deaths }: HeldRunOptions) {
    this.#host = host;
    this.taskId = taskId;
    this.fence = fence;
    this.claimedAt = claimedAt;
    this.#confirmedAt = claimedAt;
    this.#expiresAt = host.clock.now() + expiresInMs;
    this.#isSuspect = isSuspect;
    this.#deaths = deaths;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get isExpired(): boolean {
    return this.#host.clock.now() >= this.#expiresAt;
  }

  follow(run: TaskRun, finished: Promise<void>): void {
    this.#run = run;
    this.finished = finished;
    if (this.#isLost) run.abort();
  }

  /** Aborts the handler without a change of the task. */
  abort(): void {
    this.#run?.abort();
  }

  /** A renewal that was sent at this time found that this worker holds the task. */
  confirm(sentAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  /** The task ended, expired, or has another worker. */
  lose(): void {
    this.#isLost = true;
    this.abort();
  }

  /** This process was cut off and lost the task, but it did not die: withdraws the death that the task was charged with. */
  async withdrawDeath(): Promise<void> {
    await this.#host.store.update(this.taskId, (task) => {
      const isCharged = task.deaths === this.#deaths + 1 && task.fence - this.fence <= 1;
      return isCharged && !isTerminal(task.status) ? { ...task, deaths: this.#deaths } : undefined;
    });
  }

  whenSafe(): Promise<void> | undefined {
    if (this.#isLost) return Promise.reject(lostError());
    return this.#host.lease.covers(this.#confirmedAt) ? undefined : this.#confirmed();
  }

  async #confirmed(): Promise<void> {
    const { lease } = this.#host;
    while (!lease.covers(this.#confirmedAt)) {
      await lease.whenRenewed();
      if (this.#isLost) throw lostError();
    }
  }

  async append(position: number, entries: readonly JournalEntry[]): Promise<number> {
    const length = await this.#persist(() => this.#host.store.append(this, position, entries));
    if (length === undefined) {
      this.lose();
      throw lostError();
    }
    if (this.#isSuspect) {
      this.#isSuspect = false;
      this.#host.suspectCleared();
    }
    return length;
  }

  async openCallback(key: string, schema: JsonObject): Promise<void> {
    const { store } = this.#host;
    if (await this.#persist(() => store.update(this.taskId, (task) => callable(task, key, schema), this.fence))) return;
    this.lose();
    throw lostError();
  }

  async report(message: string): Promise<void> {
    const { store } = this.#host;
    const report = (task: StoredTask, now: number) =>
      task.worker === undefined ? undefined : reported(task, message, now);
    const saved = await store.update(this.taskId, report, this.fence);
    if (saved) this.#host.publishState(saved);
  }

  /**
   * Replaces the task unless this run lost it, and publishes the new state. A repeated attempt may find its own earlier one, of
   * which the answer was lost; the state is then published as it is.
   */
  async write(change: (task: StoredTask, now: number) => StoredTask | undefined): Promise<StoredTask | undefined> {
    const { store } = this.#host;
    let attempts = 0;
    const saved = await this.#persist(() => {
      attempts += 1;
      return store.update(
        this.taskId,
        (task, now) => (task.worker === undefined ? undefined : change(task, now)),
        this.fence,
      );
    });
    const state = saved ?? (attempts > 1 ? await store.read(this.taskId) : undefined);
    if (state) this.#host.publishState(state);
    return saved;
  }

  async #persist<T>(act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isUnavailable(error) || this.#isLost || this.#host.isClosed || this.isExpired) throw error;
      }
      await pause(this.#host.clock, retryEveryMs);
    }
  }
}

function lostError(): Error {
  return new Error("the task has ended, or another process runs it");
}
