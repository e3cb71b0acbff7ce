// Stores tasks in a file (F-5): they outlive the process, and all processes of one machine can share them. Uses LMDB, whose file
// survives crashes, and whose transactions cover all processes.
import type { JsonObject } from "@lethe/protocol";
import type { Database, RootDatabase } from "lmdb";
import { fromPreviousFormat } from "../tasks/previous-format.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import { maxIdLength, TableTaskStore } from "../tasks/table-task-store.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import type { WorkerRow } from "../tasks/task-tables.ts";
import { FileTables } from "./file-task-tables.ts";
import { openLmdb } from "./open-lmdb.ts";

export async function createFileTaskStore(path: string): Promise<TaskStore> {
  return new FileTaskStore(await openLmdb(path, "the task store"));
}

class FileTaskStore extends TableTaskStore {
  /** Tasks and workers of a build before the append-only journal. */
  readonly #previous: Database<JsonObject, string>;
  readonly #previousWorkers: Database<WorkerRow, string>;
  readonly #tables: FileTables;

  constructor(root: RootDatabase) {
    const tables = new FileTables(root);
    super(tables, true);
    this.#tables = tables;
    this.#previous = root.openDB({ name: "tasks", encoding: "json" });
    this.#previousWorkers = root.openDB({ name: "workers", encoding: "json" });
  }

  override async read(taskId: string): Promise<StoredTask | undefined> {
    return (await super.read(taskId)) ?? this.#readPrevious(taskId);
  }

  override async sweep(): Promise<void> {
    await super.sweep();
    for (const { key, value } of this.#previous.getRange()) {
      if (isExpired(value, this.#tables.now())) await this.#previous.remove(key);
    }
  }

  #readPrevious(taskId: string): StoredTask | undefined {
    const now = this.#tables.now();
    const task = taskId.length > maxIdLength ? undefined : this.#previous.get(taskId);
    if (!task || isExpired(task, now)) return undefined;
    const workers = [...this.#previousWorkers.getRange()].map(({ value }) => value);
    return fromPreviousFormat(
      task,
      workers.some((worker) => worker.until > now && !this.#tables.isGone(worker)),
    );
  }
}

function isExpired({ createdAt, ttlMs }: JsonObject, now: number): boolean {
  return Number(createdAt) + Number(ttlMs) <= now;
}
