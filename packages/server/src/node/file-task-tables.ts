// The tables of the task store in a file, each an LMDB database.
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { Database, Key, RootDatabase } from "lmdb";
import type { JournalEntry } from "../interaction/journal.ts";
import type { TaskWork } from "../tasks/stored-task.ts";
import type { TaskUsage } from "../tasks/task-room.ts";
import type { TaskRow, TaskTables, WaitingKey, WorkerRow } from "../tasks/task-tables.ts";

interface Contact {
  readonly at: number;
  readonly quietUntil: number;
}

/** Sorts after every other part of a key. */
const last = "\uffff";

export class FileTables implements TaskTables {
  readonly #root: RootDatabase;
  readonly #rows: Database<TaskRow, string>;
  readonly #works: Database<TaskWork, string>;
  /** By task and position. */
  readonly #journal: Database<JournalEntry, [string, number]>;
  /** By expiry in ms, and task. */
  readonly #byExpiry: Database<true, [number, string]>;
  /** By lane, "s" for suspects or "w" for others, rank, time and task. */
  readonly #waiting: Database<true, [string, string, number, number, string]>;
  /** By the time since when a task waits. */
  readonly #waitingSince: Database<true, [number, string]>;
  readonly #held: Database<true, [string, string]>;
  readonly #workers: Database<WorkerRow, string>;
  /** The number of live and ended tasks, in total and per digest of an owner. */
  readonly #counts: Database<number, string>;
  readonly #contact: Database<Contact, string>;

  constructor(root: RootDatabase) {
    const table = <V, K extends Key>(name: string) => root.openDB<V, K>({ name: `2-${name}`, encoding: "json" });
    this.#root = root;
    this.#rows = table("tasks");
    this.#works = table("works");
    this.#journal = table("journal");
    this.#byExpiry = table("by-expiry");
    this.#waiting = table("waiting");
    this.#waitingSince = table("waiting-since");
    this.#held = table("held");
    this.#workers = table("workers");
    this.#counts = table("counts");
    this.#contact = table("contact");
  }

  /** All processes are on one machine. If its clock jumps ahead, the time counts as an outage, and no worker loses its tasks. */
  now(): number {
    return Date.now();
  }

  async transact<T>(act: () => T): Promise<T> {
    let failure: { error: unknown } | undefined;
    const result = await this.#root.transaction(() => {
      try {
        return act();
      } catch (error) {
        failure = { error };
        return undefined;
      }
    });
    if (failure) throw (failure as { error: unknown }).error;
    return result as T;
  }

  row(taskId: string): TaskRow | undefined {
    return this.#rows.get(taskId);
  }

  putRow(row: TaskRow): void {
    const { taskId } = row.task;
    const before = this.#rows.get(taskId);
    void this.#rows.put(taskId, row);
    if (before?.expiresAt === row.expiresAt) return;
    if (before) void this.#byExpiry.remove([before.expiresAt, taskId]);
    void this.#byExpiry.put([row.expiresAt, taskId], true);
  }

  removeRow({ task, expiresAt }: TaskRow): void {
    void this.#rows.remove(task.taskId);
    void this.#byExpiry.remove([expiresAt, task.taskId]);
  }

  expired(now: number, limit: number): readonly string[] {
    const range = { end: [now, last], limit } as object;
    return [...this.#byExpiry.getKeys(range)].map(([, taskId]) => taskId);
  }

  work(taskId: string): TaskWork | undefined {
    return this.#works.get(taskId);
  }

  putWork(taskId: string, work: TaskWork): void {
    void this.#works.put(taskId, work);
  }

  entries(taskId: string): readonly JournalEntry[] {
    return [...this.#journal.getRange(journalOf(taskId))].map(({ value }) => value);
  }

  entryCount(taskId: string): number {
    // The end of a range is exclusive.
    const end: [string, number] = [taskId, -1];
    const start = journalOf(taskId).end;
    for (const [, position] of this.#journal.getKeys({ start, end, reverse: true, limit: 1 })) {
      return position + 1;
    }
    return 0;
  }

  addEntry(taskId: string, position: number, entry: JournalEntry): void {
    void this.#journal.put([taskId, position], entry);
  }

  removeWork(taskId: string): void {
    void this.#works.remove(taskId);
    for (const key of [...this.#journal.getKeys(journalOf(taskId))]) void this.#journal.remove(key);
  }

  addWaiting(key: WaitingKey): void {
    void this.#waiting.put(toWaitingKey(key), true);
    void this.#waitingSince.put([key.since, key.taskId], true);
  }

  removeWaiting(key: WaitingKey): void {
    void this.#waiting.remove(toWaitingKey(key));
    void this.#waitingSince.remove([key.since, key.taskId]);
  }

  *waitingIn(lane: string, isSuspect: boolean, now: number): Iterable<WaitingKey> {
    const kind = kindOf(isSuspect);
    for (let from: number | undefined = 0; from !== undefined; ) {
      const range = { start: [lane, kind, from], end: [lane, kind, Number.MAX_SAFE_INTEGER] } as object;
      from = undefined;
      for (const [, , rank, since, taskId] of this.#waiting.getKeys(range)) {
        if (since > now) {
          // All further tasks of this rank are delayed too.
          from = rank + 1;
          break;
        }
        yield { lane, isSuspect, rank, since, taskId };
      }
    }
  }

  addHeld(worker: string, taskId: string): void {
    void this.#held.put([worker, taskId], true);
  }

  removeHeld(worker: string, taskId: string): void {
    void this.#held.remove([worker, taskId]);
  }

  heldBy(worker: string): readonly string[] {
    const range = { start: [worker, ""], end: [worker, last] } as object;
    return [...this.#held.getKeys(range)].map(([, taskId]) => taskId);
  }

  workers(): Iterable<readonly [string, WorkerRow]> {
    return [...this.#workers.getRange()].map(({ key, value }) => [key, value] as const);
  }

  renewWorker(worker: string, until: number): void {
    void this.#workers.put(worker, { until, pid: process.pid, host: hostname() });
  }

  removeWorker(worker: string): void {
    void this.#workers.remove(worker);
  }

  /**
   * A worker whose process on this machine no longer runs is gone immediately, so a restart need not wait for the lease. If another
   * process has its pid, or it ran in a container, the lease decides.
   */
  isGone({ host, pid }: WorkerRow): boolean {
    return host === hostname() && pid !== undefined && pid !== process.pid && !isRunning(pid);
  }

  usage(owner: string | undefined): TaskUsage {
    const digest = owner === undefined ? undefined : digestOf(owner);
    const count = (kind: string, of: string | undefined): number =>
      (of === undefined ? undefined : this.#counts.get(`${kind} ${of}`)) ?? 0;
    return {
      live: count("live", "all"),
      ended: count("ended", "all"),
      liveOfOwner: count("live", digest),
      endedOfOwner: count("ended", digest),
    };
  }

  count(kind: "live" | "ended", owner: string | undefined, step: 1 | -1): void {
    for (const of of owner === undefined ? ["all"] : ["all", digestOf(owner)]) {
      const key = `${kind} ${of}`;
      const sum = (this.#counts.get(key) ?? 0) + step;
      if (sum > 0) void this.#counts.put(key, sum);
      else void this.#counts.remove(key);
    }
  }

  waiting(now: number): { count: number; oldest: number | undefined } {
    const range = { end: [now, last] } as object;
    const [first] = [...this.#waitingSince.getKeys({ ...range, limit: 1 })];
    return { count: this.#waitingSince.getKeysCount(range), oldest: first?.[0] };
  }

  contact(): Contact {
    return this.#contact.get("contact") ?? { at: 0, quietUntil: 0 };
  }

  putContact(contact: Contact): void {
    void this.#contact.put("contact", contact);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

function journalOf(taskId: string): { start: [string, number]; end: [string, number] } {
  return { start: [taskId, 0], end: [taskId, Number.MAX_SAFE_INTEGER] };
}

function toWaitingKey(key: WaitingKey): [string, string, number, number, string] {
  return [key.lane, kindOf(key.isSuspect), key.rank, key.since, key.taskId];
}

function kindOf(isSuspect: boolean): string {
  return isSuspect ? "s" : "w";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function digestOf(owner: string): string {
  return createHash("sha256").update(owner).digest("base64url");
}
