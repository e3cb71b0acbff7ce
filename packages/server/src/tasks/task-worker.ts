// The tasks that one process runs: renews its lease, acquires waiting tasks while it has room, and ends runs of tasks that it lost.
import { type Clock, every, pause } from "../clock/clock.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import { HeldRun, type HeldRunOptions, type RunHost } from "./held-run.ts";
import type { StoredTask, TaskWork } from "./stored-task.ts";
import { failureOf } from "./task-failure.ts";
import { isSuspect } from "./task-hold.ts";
import type { TaskMeter } from "./task-meter.ts";
import type { TaskSettings } from "./task-settings.ts";
import { ended, handedBack } from "./task-state.ts";
import type { AcquiredTask, CreateOptions, HeldTask, NewTask, TaskStore } from "./task-store.ts";
import { WorkerLease } from "./worker-lease.ts";

export interface TaskWorkerOptions {
  readonly settings: TaskSettings;
  readonly clock: Clock;
  readonly meter: TaskMeter;
  /** The id of this process in the store. */
  readonly worker: string;
  /** The lanes whose tasks this process runs. */
  lanes(): readonly string[];
  /** Undefined when this process does not have the tool. */
  policyOf(task: StoredTask, work: TaskWork): TaskPolicy | undefined;
  onError(error: unknown): void;
  publishState(task: StoredTask): void;
  /** Runs a task that this worker has acquired. */
  resume(acquired: AcquiredTask, held: HeldRun): void;
}

export interface CreatedTask {
  readonly task: StoredTask;
  /** When the creation was sent to the store, by the clock of this process. */
  readonly claimedAt: number;
}

const sweepEveryMs = 60_000;
/** The longest pause between two looks for waiting tasks, in ms. */
const lookEveryMs = 1_000;
/** Tasks acquired at once. */
const maxAcquired = 20;
/** A task whose tool this process does not have waits this long before any process acquires it again, in ms. */
const foreignDelayMs = 5_000;
/** Tasks whose creation failed without a known outcome. */
const maxUnwanted = 1_000;

export class TaskWorker implements RunHost {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly lease: WorkerLease;
  readonly #options: TaskWorkerOptions;
  readonly #runs = new Map<string, HeldRun>();
  readonly #unwanted = new Set<string>();
  #stop: (() => void) | undefined;
  #renewing: Promise<void> | undefined;
  /** Calls of `create` and `acquire` that may give this worker tasks it does not know yet. */
  #claims = 0;
  #isBusy = false;
  #isLooking = false;
  /** Whether a task may wait that this worker has not looked for. */
  #mayWait = true;
  #isAway = false;
  #isClosed = false;
  /** Undefined until the first sweep could run. */
  #sweptAt: number | undefined;

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
    this.store = options.settings.store;
    this.clock = options.clock;
    this.lease = new WorkerLease(options.clock, options.settings.leaseMs);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get hasRoom(): boolean {
    return this.#runs.size < this.#options.settings.concurrency;
  }

  publishState(task: StoredTask): void {
    this.#options.publishState(task);
  }

  suspectCleared(): void {
    this.lookSoon();
  }

  /** Starts the periodic work. */
  begin(): void {
    if (this.#stop || this.#isClosed) return;
    const { settings } = this.#options;
    this.#stop = every(this.clock, Math.max(Math.min(lookEveryMs, settings.leaseMs / 3), 1), () => void this.#tick());
    // Not at once: the tools of this server are still being defined.
    if (this.store.isDurable) this.clock.after(0, () => void this.#tick());
  }

  async #tick(): Promise<void> {
    if (this.#isBusy || this.#isClosed) return;
    this.#isBusy = true;
    try {
      for (const held of this.#runs.values()) if (held.isExpired) held.lose();
      if (this.lease.isDue) await this.renew();
      this.#isAway = false;
      await this.#look();
      await this.#options.meter.observe(this.store);
      await this.#sweep();
    } catch (error) {
      // One report for each outage: every look fails meanwhile.
      if (!this.#isAway) this.#options.onError(error);
      this.#isAway = true;
    } finally {
      this.#isBusy = false;
    }
  }

  async #sweep(): Promise<void> {
    const now = this.clock.now();
    this.#sweptAt ??= now;
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    await this.store.sweep();
  }

  /** Renews the lease, and compares the tasks that the store says this worker holds with its runs. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const sentAt = this.clock.now();
    const claimsBefore = this.#claims;
    const { worker, settings } = this.#options;
    const held = await this.store.renew(worker, settings.leaseMs);
    if (this.#isClosed) return;
    const fences = new Map(held.map(({ taskId, fence }) => [taskId, fence]));
    const lost: HeldRun[] = [];
    for (const run of this.#runs.values()) {
      if (fences.get(run.taskId) === run.fence) run.confirm(sentAt);
      else if (run.claimedAt < sentAt && !run.isLost) lost.push(run);
    }
    for (const run of lost) run.lose();
    this.lease.renewed(sentAt);
    for (const run of lost) await run.withdrawDeath();
    if (claimsBefore > 0 || this.#claims > 0) return;
    for (const task of held) if (!this.#runs.has(task.taskId)) await this.#giveBack(task);
  }

  /** The store gave this worker a task, and the answer was lost. Nothing of it ran. */
  async #giveBack({ taskId, fence }: HeldTask): Promise<void> {
    const isUnwanted = this.#unwanted.delete(taskId);
    const { keepMs } = this.#options.settings;
    await this.store.update(
      taskId,
      (task, now) => {
        if (task.worker === undefined) return undefined;
        return isUnwanted ? ended(task, { status: "cancelled" }, { now, keepMs }) : handedBack(task);
      },
      fence,
    );
  }

  /** Creates a task that this worker holds. Rejects with McpError. */
  async create(task: NewTask, content: Pick<CreateOptions, "work" | "entries">): Promise<CreatedTask> {
    this.begin();
    this.#claims += 1;
    const { worker, settings } = this.#options;
    try {
      if (!this.lease.isValid) await this.renew();
      const claimedAt = this.clock.now();
      const options = { ...content, worker, leaseMs: settings.leaseMs, limits: settings };
      return { task: await this.store.create(task, options), claimedAt };
    } catch (error) {
      if (this.#unwanted.size < maxUnwanted) this.#unwanted.add(task.taskId);
      throw error;
    } finally {
      this.#claims -= 1;
    }
  }

  /** Registers the run of a task that this worker holds. */
  hold(options: HeldRunOptions): HeldRun {
    const held = new HeldRun(this, options);
    this.#runs.set(held.taskId, held);
    this.#options.meter.running(1);
    return held;
  }

  /** The outcome of a run is stored, or it lost its task. */
  release(held: HeldRun): void {
    this.#options.meter.running(-1);
    if (this.#runs.get(held.taskId) === held) this.#runs.delete(held.taskId);
    if (this.#mayWait) this.lookSoon();
  }

  /** Stops the run of a task that ended. */
  lose(taskId: string): void {
    this.#runs.get(taskId)?.lose();
  }

  /** A task waits, and this worker may have room for it. */
  lookSoon(): void {
    void this.#look().catch(this.#options.onError);
  }

  async #look(): Promise<void> {
    this.#mayWait = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#mayWait) {
        const lanes = this.#options.lanes();
        const limit = Math.min(this.#options.settings.concurrency - this.#runs.size, maxAcquired);
        if (lanes.length === 0 || limit <= 0 || this.#isClosed || !this.lease.isValid) return;
        this.#mayWait = false;
        const count = await this.#acquire({ lanes, limit });
        if (count === limit) this.#mayWait = true;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Acquires one task if it waits and this worker has room. Otherwise it waits for any worker. */
  async claim(taskId: string): Promise<void> {
    this.begin();
    if (!this.lease.isValid) await this.renew();
    if (this.hasRoom && !this.#isClosed) await this.#acquire({ lanes: [], limit: 1, taskId });
    else this.#mayWait = true;
  }

  async #acquire(wanted: { lanes: readonly string[]; limit: number; taskId?: string }): Promise<number> {
    const { worker, settings } = this.#options;
    const mayBeSuspect = ![...this.#runs.values()].some((held) => held.isSuspect);
    this.#claims += 1;
    const claimedAt = this.clock.now();
    try {
      const acquired = await this.store.acquire(worker, { ...wanted, mayBeSuspect, leaseMs: settings.leaseMs });
      for (const one of acquired) this.#start(one, claimedAt);
      return acquired.length;
    } finally {
      this.#claims -= 1;
    }
  }

  #start(acquired: AcquiredTask, claimedAt: number): void {
    const { task, work, expiresInMs } = acquired;
    const { taskId, fence } = task;
    const { policyOf, settings, meter, onError } = this.#options;
    const before = this.#runs.get(taskId);
    const { deaths } = task;
    const held = this.hold({ taskId, fence, claimedAt, expiresInMs, isSuspect: isSuspect(task), deaths });
    const policy = policyOf(task, work);
    const end = policy && failureOf(task, policy, settings.maxDeaths);
    if (task.losses > 0) meter.failedOver();
    if (!policy || end || this.#isClosed) {
      if (end) meter.failed(end.reason);
      const { keepMs } = settings;
      const written = held.write((current, now) =>
        end ? ended(current, end.end, { now, keepMs }) : handedBack(current, this.#isClosed ? 0 : foreignDelayMs),
      );
      void written.catch(onError).finally(() => this.release(held));
    } else if (before) {
      // This process lost the task and acquired it again: its earlier run must end first.
      before.lose();
      void before.finished.then(() => this.#options.resume(acquired, held));
    } else this.#options.resume(acquired, held);
  }

  /** Stops running tasks, waits for a grace period, and hands back the rest. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.();
    this.lease.end();
    const { settings, worker, onError } = this.#options;
    const open = [...this.#runs.values()];
    for (const held of open) held.abort();
    await settledOrLate(
      this.clock,
      open.map(({ finished }) => finished),
      settings.closeGraceMs,
    );
    for (const held of this.#runs.values()) held.lose();
    // A stalled store must not keep the server from closing.
    if (this.#stop) await settledOrLate(this.clock, [this.store.retire(worker).catch(onError)], settings.closeGraceMs);
  }
}

function settledOrLate(clock: Clock, promises: readonly Promise<unknown>[], ms: number): Promise<unknown> {
  return Promise.race([Promise.allSettled(promises), pause(clock, ms)]);
}
