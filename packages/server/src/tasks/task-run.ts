// One run of a handler that may become a task: its exchange, and the home of its journal. It begins
// on a request or a stored task, and may change from one to the other without the handler's notice.
import type { Caller, Exchange, HeaderReader, JsonObject, JsonRpcNotification, ModernRequest } from "@lethe/protocol";
import { method, onAbort, type RequestParams } from "@lethe/protocol";
import type { Journal, JournalEntry, JournalHome } from "../interaction/journal.ts";
import type { StoredTask, TaskWork } from "./stored-task.ts";
import { reported } from "./task-state.ts";

/**
 * Updates the stored task while this run owns it; rejects otherwise, or when the store fails. `isNews` notifies
 * subscribers.
 */
export type SaveTask = (change: (task: StoredTask) => StoredTask | undefined, isNews: boolean) => Promise<void>;

export interface TaskRunOptions {
  readonly request: ModernRequest;
  readonly caller: Caller | undefined;
  /** Bytes, as JSON. */
  readonly maxJournalBytes: number;
}

const stopped = new DOMException("the task was cancelled or its server is closing", "AbortError");

export class TaskRun implements Exchange, JournalHome {
  readonly request: ModernRequest;
  readonly caller: Caller | undefined;
  /** The journal of the suspended handler. */
  suspended: Journal | undefined;
  readonly #maxJournalBytes: number;
  /** `request` until the task is created, `over` when a round ended on the request. */
  #phase: "request" | "becoming" | "task" | "over" = "request";
  #becoming: Promise<void> | undefined;
  #front: Exchange | undefined;
  #frontHome: JournalHome | undefined;
  #save: SaveTask | undefined;
  #controller: AbortController | undefined;
  #isAborted = false;
  #base: Journal | undefined;
  #entries: JournalEntry[] = [];
  #journalBytes = 0;
  #message: string | undefined;
  #isReporting = false;

  private constructor({ request, caller, maxJournalBytes }: TaskRunOptions) {
    this.request = request;
    this.caller = caller;
    this.#maxJournalBytes = maxJournalBytes;
  }

  static onRequest(exchange: Exchange, options: Omit<TaskRunOptions, "caller">): TaskRun {
    const run = new TaskRun({ ...options, caller: exchange.caller });
    run.#front = exchange;
    onAbort(exchange, () => {
      if (run.#phase !== "task") run.abort();
    });
    return run;
  }

  /** `save` writes to this task. */
  static onTask(taskId: string, work: TaskWork, save: SaveTask, maxJournalBytes: number): TaskRun {
    const params = { ...work.params, inputResponses: work.answers } as unknown as RequestParams;
    const request: ModernRequest = { id: taskId, method: method.callTool, params };
    const run = new TaskRun({ request, caller: work.caller, maxJournalBytes });
    run.#phase = "task";
    run.#base = work.journal;
    run.#journalBytes = JSON.stringify(work.journal.entries).length;
    run.#save = save;
    return run;
  }

  get isOnRequest(): boolean {
    return this.#phase === "request";
  }

  /** Aborts the run: its result is no longer needed. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  get isLost(): boolean {
    return this.#phase === "task" && this.#isAborted;
  }

  get isAnonymous(): boolean {
    return this.#front?.isAnonymous === true;
  }

  get headers(): HeaderReader | undefined {
    return this.#front?.headers;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(stopped);
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort(stopped);
  }

  /** A task sends neither progress nor log notifications. */
  notify(notification: JsonRpcNotification): boolean {
    return this.#phase === "request" && this.#front ? this.#front.notify(notification) : true;
  }

  drained(): Promise<void> {
    return this.#phase === "request" && this.#front ? this.#front.drained() : Promise.resolve();
  }

  /** The last reported status message. */
  get message(): string | undefined {
    return this.#message;
  }

  /** Reports a status message. Only the latest is kept while one is being written, or before the task exists. */
  report(message: string): void {
    this.#message = message;
    if (this.#phase !== "request" && !this.#isReporting) void this.#report();
  }

  async #report(): Promise<void> {
    this.#isReporting = true;
    await this.#becoming?.catch(ignore);
    for (let said: string | undefined; said !== this.#message; ) {
      said = this.#message;
      await this.#save?.((task) => reported(task, said ?? "", Date.now()), true).catch(ignore);
    }
    this.#isReporting = false;
  }

  /** The home of the journal while the run is on its request. */
  keepOnRequest(home: JournalHome): void {
    this.#frontHome = home;
  }

  /**
   * Moves the journal to the task. `create` gets the content of the task; when it rejects, so does this, and
   * the run stays on its request.
   */
  become(mark: string, create: (work: TaskWork) => Promise<SaveTask>): Promise<void> {
    this.#phase = "becoming";
    this.#becoming = this.#begin(create(this.#toWork(mark)));
    return this.#becoming;
  }

  async #begin(creation: Promise<SaveTask>): Promise<void> {
    try {
      this.#save = await creation;
      this.#phase = "task";
      this.#front = undefined;
      this.#frontHome = undefined;
    } catch (error) {
      this.#phase = "request";
      throw error;
    }
  }

  #toWork(mark: string): TaskWork {
    const { inputResponses, requestState: _, ...params } = this.request.params;
    this.#base ??= { v: 1, mark, round: 0, entries: [], asked: [] };
    const answers = (inputResponses ?? {}) as JsonObject;
    return { params, caller: this.caller, journal: this.#journalNow(this.#base), answers, usedKeys: [] };
  }

  #journalNow(base: Journal): Journal {
    return { ...base, entries: [...base.entries, ...this.#entries] };
  }

  get isEmpty(): boolean {
    return this.#base === undefined || (this.#base.round === 0 && this.#base.entries.length === 0);
  }

  async load(): Promise<Journal | undefined> {
    this.#base ??= await this.#frontHome?.load();
    return this.#base;
  }

  append(entry: JournalEntry): Promise<void> | undefined {
    this.#entries.push(entry);
    return this.#phase === "request" ? undefined : this.#appendToTask(entry);
  }

  async #appendToTask(entry: JournalEntry): Promise<void> {
    this.#journalBytes += JSON.stringify(entry).length;
    if (this.#journalBytes > this.#maxJournalBytes) {
      throw new RangeError(`the journal of a task may have at most ${this.#maxJournalBytes} bytes`);
    }
    await this.#becoming?.catch(ignore);
    const base = this.#base;
    if (this.#save && base) {
      await this.#save(
        (task) => task.work && { ...task, work: { ...task.work, journal: this.#journalNow(base) } },
        false,
      );
    }
  }

  /** The phase changes before the first await: a round that ends on its request prevents the task. */
  async save(journal: Journal): Promise<string | undefined> {
    while (this.#phase === "becoming") await this.#becoming?.catch(ignore);
    if (this.#phase === "task") {
      this.suspended = journal;
      return undefined;
    }
    this.#phase = "over";
    return this.#frontHome?.save(journal);
  }
}

function ignore(): void {
  // The caller gets the error of the creation; a run whose task is gone is stopped elsewhere.
}
