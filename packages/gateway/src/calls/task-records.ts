// The records of gateway-made tasks that replicas share, so that any replica can tell how a task ended after its own replica is gone,
// and can run its call again where the tool and the operator allow it. A record names the replica that runs the task. Only one
// replica can take a task over, because each write names the version that it replaces.
import { type DetailedTask, isJsonObject, isTerminal, type JsonObject } from "@lethe/protocol";
import type { SharedRecord, SharedRecords } from "../upstreams/directory/shared-state.ts";

/** The call of a task that may run again, as JSON. */
export interface RepeatableCall {
  readonly request: JsonObject;
  /** The upstream's own names, without the sessions. */
  readonly target: JsonObject;
  readonly era?: "legacy";
}

export interface TaskRecord {
  /** The replica that runs the task. */
  readonly replica: string;
  /** The id of the task at that replica. Absent until a replica that took the task over has begun it. */
  readonly id?: string;
  /** The last recorded state. */
  readonly task: DetailedTask;
  /** Absent for a call that must not run again. */
  readonly call?: RepeatableCall;
}

interface OwnRecord {
  readonly key: string;
  readonly record: TaskRecord;
  readonly version: number;
}

/** Records of ended tasks stay for at least this time, in ms. */
const leastMs = 1_000;

export class TaskRecords {
  readonly #records: SharedRecords;
  /** The records that this replica writes, by the id of the task here. */
  readonly #own: Map<string, OwnRecord> = new Map();
  #isClosed = false;

  constructor(records: SharedRecords) {
    this.#records = records;
  }

  /** Records a new task under its id. Never rejects: without a record, the task ends with its replica. */
  async add(id: string, record: TaskRecord): Promise<void> {
    await this.#write(id, { key: id, record, version: 0 });
  }

  /** Undefined for a task that is unknown or has expired. Rejects when the store is unreachable. */
  async read(key: string): Promise<{ readonly record: TaskRecord; readonly version: number } | undefined> {
    const found = await this.#records.read(key);
    return found && toTaskRecord(found);
  }

  /** Takes over a task of a replica that is gone. Returns false if another replica was faster. */
  takeOver(key: string, record: TaskRecord, version: number): Promise<boolean> {
    return this.#records.write(key, { ...record }, { version, ttlMs: remainingMs(record.task) });
  }

  /** Records the id under which this replica runs a task that it took over. Never rejects. */
  async begun(key: string, record: TaskRecord & { readonly id: string }, version: number): Promise<void> {
    await this.#write(record.id, { key, record, version });
  }

  /** Records the end of a task of this replica. Never rejects: an end that is not recorded counts as lost with its replica. */
  async ended(task: DetailedTask): Promise<void> {
    const own = this.#own.get(task.taskId);
    if (!own || !isTerminal(task.status)) return;
    this.#own.delete(task.taskId);
    const { call: _, ...record } = own.record;
    await this.#write(undefined, { ...own, record: { ...record, task } });
  }

  /** Tasks that end from now on were stopped with this replica, and may continue at another one. */
  close(): void {
    this.#isClosed = true;
    this.#own.clear();
  }

  async #write(id: string | undefined, { key, record, version }: OwnRecord): Promise<void> {
    if (this.#isClosed) return;
    const ttlMs = remainingMs(record.task);
    const written = await this.#records.write(key, { ...record }, { version, ttlMs }).catch(() => false);
    if (written && id !== undefined) this.#own.set(id, { key, record, version: version + 1 });
  }
}

function remainingMs({ createdAt, ttlMs }: DetailedTask): number {
  if (ttlMs === null || ttlMs === undefined) return Number.MAX_SAFE_INTEGER;
  return Math.max(leastMs, Date.parse(createdAt) + ttlMs - Date.now());
}

/** Records of another build may have other members. */
function toTaskRecord({
  value,
  version,
}: SharedRecord): { readonly record: TaskRecord; readonly version: number } | undefined {
  const { replica, task, id } = value;
  if (typeof replica !== "string" || !isJsonObject(task) || typeof task.status !== "string") return undefined;
  if (id !== undefined && typeof id !== "string") return undefined;
  return { record: value as JsonObject & TaskRecord, version };
}
