// Stores tasks in a file (F-5): they outlive the process, and all processes of one machine can share them. Uses LMDB, whose file
// survives crashes, and whose transactions cover all processes.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { hostname } from "node:os";
import type { Database, Key, RootDatabase } from "lmdb";
import { requireRoom } from "../tasks/memory-task-store.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import { expiresAt } from "../tasks/task-state.ts";
import type { TaskStore } from "../tasks/task-store.ts";

interface Tables {
  readonly root: RootDatabase;
  readonly tasks: Database<StoredTask, string>;
  /** [expiry in ms, id] of each task. */
  readonly byExpiry: Database<true, Key>;
  /** The worker of each running task. Null if it has none. */
  readonly working: Database<string | null, string>;
  readonly workers: Database<Worker, string>;
  /** The number of tasks, in total and per digest of an owner. */
  readonly counts: Database<number, string>;
}

interface Worker {
  /** When the lease ends, in ms since 1970. */
  until: number;
  pid: number;
  host: string;
}

const all = "all";
/** Longer ids are unknown: the keys of the file are limited, and ids come from clients. */
const maxIdLength = 200;
/** Tasks deleted in one transaction, for which other processes wait. */
const sweepBatch = 500;

export async function createFileTaskStore(path: string): Promise<TaskStore> {
  const tables = await openTables(path);
  const { root, tasks, byExpiry, working, workers, counts } = tables;

  function write(task: StoredTask, before: StoredTask | undefined): void {
    const { taskId, status, worker } = task;
    void tasks.put(taskId, task);
    if (before && expiresAt(before) !== expiresAt(task)) void byExpiry.remove([expiresAt(before), taskId]);
    if (!before || expiresAt(before) !== expiresAt(task)) void byExpiry.put([expiresAt(task), taskId], true);
    if (status === "working") void working.put(taskId, worker ?? null);
    else if (before?.status === "working") void working.remove(taskId);
  }

  function remove(task: StoredTask): void {
    void tasks.remove(task.taskId);
    void byExpiry.remove([expiresAt(task), task.taskId]);
    void working.remove(task.taskId);
    count(task, -1);
  }

  function count({ owner }: StoredTask, step: 1 | -1): void {
    const keys = owner === undefined ? [all] : [all, digestOf(owner)];
    for (const key of keys) {
      const sum = countOf(key) + step;
      if (sum > 0) void counts.put(key, sum);
      else void counts.remove(key);
    }
  }

  function countOf(key: string): number {
    return counts.get(key) ?? 0;
  }

  return {
    isDurable: true,
    async create(task, limits) {
      const ofOwner = task.owner === undefined ? undefined : digestOf(task.owner);
      await transact(root, () => {
        requireRoom({ all: countOf(all), ofOwner: ofOwner === undefined ? 0 : countOf(ofOwner) }, limits);
        write(task, undefined);
        count(task, 1);
      });
    },
    async read(taskId) {
      return taskId.length > maxIdLength ? undefined : tasks.get(taskId);
    },
    async update(taskId, change) {
      if (taskId.length > maxIdLength) return undefined;
      return transact(root, () => {
        const current = tasks.get(taskId);
        const changed = current && change(current);
        if (changed) write(changed, current);
        return changed;
      });
    },
    async keepAlive(worker, until) {
      if (until > 0) await workers.put(worker, { until, pid: process.pid, host: hostname() });
      else await workers.remove(worker);
    },
    async abandoned(now, limit) {
      const found: StoredTask[] = [];
      for (const { key, value } of working.getRange()) {
        if (found.length === limit) break;
        if (value !== null && isAlive(workers.get(value), now)) continue;
        const task = tasks.get(key);
        if (task) found.push(task);
      }
      return found;
    },
    async sweep(now) {
      for (let deleted = sweepBatch; deleted === sweepBatch; ) {
        deleted = await transact(root, () => {
          const keys = [...byExpiry.getKeys({ end: [now, "\uffff"], limit: sweepBatch })];
          for (const key of keys) {
            const task = tasks.get((key as [number, string])[1]);
            if (task) remove(task);
          }
          return keys.length;
        });
      }
      const dead = [...workers.getRange()].filter(({ value }) => value.until <= now);
      await Promise.all(dead.map(({ key }) => workers.remove(key)));
    },
    close: () => root.close(),
  };
}

async function openTables(path: string): Promise<Tables> {
  const { open } = await import("lmdb").catch((cause: unknown) => {
    throw new Error('the task store in a file needs the package "lmdb": npm install lmdb', { cause });
  });
  const isNew = !existsSync(path);
  // Each commit waits for the disk, because a client relies on every task that it knows.
  const root = open({ path, noSubdir: true, maxDbs: 8, overlappingSync: false });
  if (isNew) await Promise.all([chmod(path, 0o600), chmod(`${path}-lock`, 0o600)]);
  const table = <V, K extends Key>(name: string) => root.openDB<V, K>({ name, encoding: "json" });
  return {
    root,
    tasks: table("tasks"),
    byExpiry: table("by-expiry"),
    working: table("working"),
    workers: table("workers"),
    counts: table("counts"),
  };
}

/** Runs `act` in a transaction. `act` must throw before its first write. */
async function transact<T>(root: RootDatabase, act: () => T): Promise<T> {
  let failure: { error: unknown } | undefined;
  const result = await root.transaction(() => {
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

/**
 * A worker whose process on this machine no longer runs is dead immediately, so a restart need not wait for the lease. If another
 * process has its pid, or it ran in a container, the lease decides.
 */
function isAlive(worker: Worker | undefined, now: number): boolean {
  if (!worker || worker.until <= now) return false;
  return worker.host !== hostname() || worker.pid === process.pid || isRunning(worker.pid);
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
