// One run of a handler that may become a task: its exchange, and the home of its journal. It begins
// on a request or a stored task, and may change from one to the other without the handler's notice.
import type { Caller, Exchange, HeaderReader, JsonObject, JsonRpcNotification, ModernRequest } from "@lethe/protocol";
import { method, onAbort, type RequestParams } from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import type { CallbackEnd, Journal, JournalEntry, JournalHome, JournalStamp } from "../interaction/journal.ts";
import { noCallbackUrl } from "./callback-urls.ts";
import type { TaskContent } from "./stored-task.ts";
import type { TaskHome, TaskRunOptions } from "./task-home.ts";
import { Departure, TaskSleeps, type TaskSleepsOptions } from "./task-sleeps.ts";
import type { PendingSleeps } from "./task-state.ts";
import type { AcquiredTask } from "./task-store.ts";

const stopped = new DOMException("the task was cancelled or its server is closing", "AbortError");

/** One run of a stored task: the exchange of its handler, and the home of its journal. */
export class TaskRun implements Exchange, JournalHome {
  readonly request: ModernRequest;
  readonly caller: Caller | undefined;
  /** The journal of the suspended handler. */
  suspended: Journal | undefined;
  readonly #settings: TaskRunOptions["settings"];
  readonly #clock: Clock;
  readonly #toCallbackUrl: TaskRunOptions["toCallbackUrl"];
  #earlier: TaskSleepsOptions["earlier"];
  #sleeps: TaskSleeps | undefined;
  #departure: Departure | undefined;
  /** `request` until the task is created, `over` when a round ended on the request. */
  #phase: "request" | "becoming" | "task" | "over" = "request";
  #becoming: Promise<void> | undefined;
  #front: Exchange | undefined;
  #frontHome: JournalHome | undefined;
  #home: TaskHome | undefined;
  #seed: string | undefined;
  #controller: AbortController | undefined;
  #isAborted = false;
  #base: Journal | undefined;
  #entries: JournalEntry[] = [];
  /** How many entries of the journal are stored. */
  #stored = 0;
  #storing: Promise<void> | undefined;
  #journalBytes = 0;
  #message: string | undefined;
  #isReporting = false;

  private constructor({ request, caller, settings, clock, toCallbackUrl }: TaskRunOptions) {
    this.request = request;
    this.caller = caller;
    this.#settings = settings;
    this.#clock = clock;
    this.#toCallbackUrl = toCallbackUrl;
  }

  static onRequest(exchange: Exchange, options: Omit<TaskRunOptions, "caller">): TaskRun {
    const run = new TaskRun({ ...options, caller: exchange.caller });
    run.#front = exchange;
    onAbort(exchange, () => {
      if (run.#phase !== "task") run.abort();
    });
    return run;
  }

  /** Continues a task that this process acquired. */
  static onTask(acquired: AcquiredTask, home: TaskHome, options: Omit<TaskRunOptions, "request" | "caller">): TaskRun {
    const { task, work, entries, expiresInMs } = acquired;
    const { rounds } = task;
    if (!rounds) throw new Error("a task that has ended cannot run");
    const params = { ...work.params, inputResponses: rounds.answers } as unknown as RequestParams;
    const request: ModernRequest = { id: task.taskId, method: method.callTool, params };
    const run = new TaskRun({ request, caller: work.caller, ...options });
    run.#earlier = { rounds, storeTime: task.createdAt + task.ttlMs - expiresInMs };
    run.#phase = "task";
    run.#base = { ...rounds.journal, entries };
    run.#stored = entries.length;
    run.#journalBytes = JSON.stringify(entries).length;
    run.#seed = work.seed;
    run.#home = home;
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
    this.#departure?.refuse(stopped);
  }

  /** Sleeps that are not over. */
  get sleeps(): PendingSleeps {
    return this.#sleeps?.pending() ?? {};
  }

  beginSleep(key: string, ms: number): number {
    return this.#toSleeps().begin(key, ms);
  }

  beginCallback(key: string, ms: number): CallbackEnd | undefined {
    return this.#toSleeps().beginCallback(key, ms);
  }

  #toSleeps(): TaskSleeps {
    const { maxSleepMs } = this.#settings;
    this.#sleeps ??= new TaskSleeps({ clock: this.#clock, maxSleepMs, earlier: this.#earlier });
    return this.#sleeps;
  }

  async callbackUrl(key: string, schema: JsonObject | undefined): Promise<string> {
    if (!this.#toCallbackUrl) throw noCallbackUrl();
    await this.whenDurable();
    const home = this.#home as TaskHome;
    if (schema) await home.openCallback(key, schema);
    return this.#toCallbackUrl(home.taskId, key);
  }

  whenDurable(): Promise<void> | undefined {
    if (this.#phase === "task" && !this.#isAborted) return undefined;
    this.#departure ??= new Departure();
    if (this.#isAborted) this.#departure.refuse(stopped);
    return this.#departure.allowed;
  }

  /** The call becomes no task: its handler cannot leave this process. */
  stayOnRequest(error: unknown): void {
    this.#departure ??= new Departure();
    this.#departure.refuse(error);
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
      await this.#home?.report(said ?? "").catch(ignore);
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
  become(stamp: JournalStamp, create: (content: TaskContent) => Promise<TaskHome>): Promise<void> {
    this.#phase = "becoming";
    const content = this.toContent(stamp);
    this.#becoming = this.#begin(create(content), content.entries.length);
    return this.#becoming;
  }

  async #begin(creation: Promise<TaskHome>, entryCount: number): Promise<void> {
    try {
      this.#home = await creation;
      this.#stored = entryCount;
      this.#phase = "task";
      this.#front = undefined;
      this.#frontHome = undefined;
      this.#departure?.allow();
    } catch (error) {
      this.#phase = "request";
      throw error;
    }
  }

  /** What a task of this call contains if it is created now. */
  toContent(stamp: JournalStamp): TaskContent {
    const { inputResponses, requestState: _, ...params } = this.request.params;
    this.#base ??= { v: 1, ...stamp, round: 0, entries: [], asked: [] };
    // The journal of a retry may come from an earlier, compatible version.
    const { entries, ...journal } = { ...this.#journalNow(this.#base), ...stamp };
    const answers = (inputResponses ?? {}) as JsonObject;
    return {
      work: { params, caller: this.caller, seed: this.seed },
      rounds: { journal, answers, usedKeys: [], failures: 0 },
      entries,
    };
  }

  /** The common part of the idempotency keys of all steps, the same in all runs of a task. */
  get seed(): string {
    this.#seed ??= this.#frontHome?.seed ?? globalThis.crypto.randomUUID();
    return this.#seed;
  }

  /** 0 while the run is on its request. */
  get fence(): number {
    return this.#home?.fence ?? 0;
  }

  whenSafe(): Promise<void> | undefined {
    return this.#phase === "task" ? this.#home?.whenSafe() : undefined;
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
    if (entry.kind === "sleep" || entry.kind === "callback") this.#sleeps?.end(entry.key);
    return this.#phase === "request" ? undefined : this.#appendToTask(entry);
  }

  async #appendToTask(entry: JournalEntry): Promise<void> {
    this.#journalBytes += JSON.stringify(entry).length;
    const { maxJournalBytes } = this.#settings;
    if (this.#journalBytes > maxJournalBytes) {
      throw new RangeError(`the journal of a task may have at most ${maxJournalBytes} bytes`);
    }
    await this.#becoming?.catch(ignore);
    if (!this.#home) return;
    const store = () => this.#storeEntries();
    this.#storing = this.#storing === undefined ? store() : this.#storing.then(store, store);
    await this.#storing;
  }

  /** One write at a time, of all entries that are not stored yet. */
  async #storeEntries(): Promise<void> {
    const earlier = this.#base?.entries ?? [];
    while (this.#home && this.#stored < earlier.length + this.#entries.length) {
      const own = this.#entries.slice(Math.max(this.#stored - earlier.length, 0));
      const missing = this.#stored < earlier.length ? [...earlier.slice(this.#stored), ...own] : own;
      this.#stored = await this.#home.append(this.#stored, missing);
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
