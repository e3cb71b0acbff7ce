// One run of a handler (E.3): replays the journal, collects new input requests, and suspends the handler when it only waits.
//
// Values are replayed one per turn of the event loop, in the order of the journal. So a handler that awaits nothing
// but this run makes the same calls in the same order in every round, even in parallel branches of which only some were
// answered, and counting is enough to distinguish two equal requests.
import type { OnceStep } from "../features/context.ts";
import { toCanonicalJson } from "../seal/digest.ts";
import type { HandlerRunOptions } from "./handler-run-options.ts";
import { ignoreSuspensions } from "./ignore-suspensions.ts";
import { type TypedInputRequest, withIssue } from "./input-request.ts";
import { InteractionError } from "./interaction-error.ts";
import type { JournalEntry, JournalHome, ValueEntry } from "./journal.ts";
import { toJsonValue } from "./json-value.ts";
import { LateCalls } from "./late-calls.ts";
import type { OnceSteps } from "./once-steps.ts";
import { refused } from "./quiet.ts";
import { differentReplay, type Replay } from "./replay.ts";
import type { PendingInputRequest, RunEnd } from "./run-end.ts";
import type { Sleeps } from "./sleeps.ts";
import { labelOf } from "./step-label.ts";
import { OpenSteps } from "./step-promise.ts";
import { Suspension } from "./suspension.ts";
import { nextTurn } from "./turn.ts";
import type { Ask, Delivery, Settle } from "./waiting-step.ts";

type Compute = (step: OnceStep) => unknown;
type ValueId = Pick<ValueEntry, "kind" | "key">;

export class HandlerRun {
  readonly #replay: Replay;
  readonly #replayGraceMs: number;
  readonly #digestOfText: (text: string) => Promise<string>;
  readonly #late: LateCalls;
  readonly #home: JournalHome | undefined;
  readonly #steps: OnceSteps;
  readonly #sleeps: Sleeps;
  /** How often each input request was made, by its key or its text. */
  readonly #occurrences = new Map<string, number>();
  readonly #onceKeys = new Set<string>();
  readonly #computing = new Set<Promise<void>>();
  /** The steps without a result. */
  readonly #open = new OpenSteps();
  readonly #unread: Ask[] = [];
  readonly #ready: Delivery[] = [];
  readonly #pending: (PendingInputRequest & Settle)[] = [];
  #phase: "running" | "suspended" | "ended" = "running";
  #error: unknown;
  #keeping = 0;
  #isWoken = false;
  #isTurning = false;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #isGraceOver = false;
  #autoCount = 0;
  #inside: string | undefined;
  #hasNews = false;

  constructor({ replay, replayGraceMs, digestOfText, steps, sleeps, onWarning, home }: HandlerRunOptions) {
    this.#replay = replay;
    this.#home = home;
    this.#steps = steps;
    this.#sleeps = sleeps;
    this.#replayGraceMs = replayGraceMs;
    this.#digestOfText = digestOfText;
    this.#late = new LateCalls(onWarning);
  }

  /** True when the handler got a response, or started to compute a value, that the journal did not contain. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  ask<T>(inputRequest: TypedInputRequest<T>, key: string | undefined): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    const text = toCanonicalJson(inputRequest.request);
    const name = key ?? text;
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    if (key !== undefined && occurrence > 1) {
      return refused(`two input requests of one run have the key "${key}"`);
    }
    const label = labelOf(inputRequest.request, key);
    return this.#wait<T>(label, (settle) => {
      this.#unread.push({ inputRequest, text, label, key, occurrence, ...settle });
      this.#wake();
    });
  }

  /** Calls without a key are numbered. */
  once<T>(key: string | undefined, compute: (step: OnceStep) => T | Promise<T>): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    if (key !== undefined) {
      if (this.#onceKeys.has(key)) return refused(`once("${key}") was called twice in one run`);
      this.#onceKeys.add(key);
    } else this.#autoCount += 1;
    const id: ValueId = key === undefined ? { kind: "auto", key: String(this.#autoCount) } : { kind: "once", key };
    return this.#replayOr(id, key === undefined ? "now or uuid" : `once(${JSON.stringify(key)})`, () => {
      if (this.#home?.isLost !== true) return compute;
      throw new InteractionError("nothing can be stored: the task has ended, or another process runs it");
    });
  }

  /** Rejects with an InteractionError for a sleep that is too long. */
  sleep(ms: number): Promise<void> {
    const key = this.#sleeps.nextKey();
    return this.#replayOr({ kind: "sleep", key }, `sleep of ${ms} ms`, () => this.#sleeps.begin(key, ms));
  }

  /** Resolves with the body of a request, or undefined if none comes in time. Rejects as `sleep` does. */
  callback(key: string, timeoutMs: number): Promise<{ readonly body: unknown } | undefined> {
    return this.#replayOr({ kind: "callback", key }, key, () => this.#sleeps.beginCallback(key, timeoutMs));
  }

  /**
   * The value from the journal, or `begin` returns how to compute it in this process. Undefined: the handler leaves the process until
   * the store wakes the task. If `begin` throws, the step rejects.
   */
  #replayOr<T>(id: ValueId, label: string, begin: () => Compute | undefined): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    const known = this.#replay.findValue(id.kind, id.key);
    return this.#wait<T>(label, (settle) => {
      if (known) return this.#offer({ ...known, value: known.entry.value, ...settle });
      const compute = begin();
      if (compute) this.#compute(id, compute, settle);
      else this.#sleeps.leave(label, settle, () => this.#wake());
    });
  }

  /** Call it when the handler has settled. Waits for running computations, which may have effects. */
  async end(): Promise<RunEnd> {
    clearTimeout(this.#graceTimer);
    const isSuspended = this.#phase === "suspended";
    const forgotten = this.#open.unused();
    while (isSuspended && this.#computing.size > 0) await Promise.all(this.#computing);
    this.#phase = "ended";
    return { isSuspended, error: this.#error, pending: this.#pending, forgotten };
  }

  /** After the suspension nothing may have an effect: the handler will run again. */
  #refusal(): Promise<never> | undefined {
    if (this.#inside !== undefined) {
      return refused(`no input request and no other once() is allowed inside once("${this.#inside}")`);
    }
    if (this.#phase === "running") return undefined;
    if (this.#phase === "ended") return refused("the call has ended: it cannot request input");
    return this.#late.refuse();
  }

  /** `label` names the step if the handler returns before it has a result and has not used its promise. */
  #wait<T>(label: string, start: (settle: Settle) => void): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      start({ resolve: resolve as (value: unknown) => void, reject });
    });
    return this.#open.add(result, label);
  }

  #compute(id: ValueId, compute: Compute, settle: Settle): void {
    this.#hasNews = true;
    const computing = this.#runOnce(id, compute, settle).finally(() => {
      this.#computing.delete(computing);
    });
    this.#computing.add(computing);
  }

  async #runOnce(id: ValueId, compute: Compute, settle: Settle): Promise<void> {
    try {
      const unsafe = this.#home?.whenSafe?.();
      if (unsafe !== undefined) await unsafe;
      const computed = await this.#callInside(id, compute);
      const value = computed === undefined ? undefined : toJsonValue(computed, `the value of once("${id.key}")`);
      const entry = value === undefined ? id : { ...id, value };
      const place = this.#replay.add(entry);
      await this.#kept(entry);
      if (this.#phase === "running") this.#offer({ entry, place, value, ...settle });
      else settle.reject(new Suspension());
    } catch (error) {
      settle.reject(error);
    }
  }

  /** The function must not request input, because later rounds do not call it. Detected up to its first await. */
  #callInside({ kind, key }: ValueId, compute: Compute): unknown {
    this.#inside = key;
    try {
      return compute(this.#steps.stepOf(kind, key));
    } finally {
      this.#inside = undefined;
    }
  }

  #offer(delivery: Delivery): void {
    this.#ready.push(delivery);
    this.#wake();
  }

  #wake(): void {
    this.#isWoken = true;
    if (this.#isTurning) return;
    this.#isTurning = true;
    void this.#turn();
  }

  async #turn(): Promise<void> {
    while (this.#isWoken) {
      await nextTurn();
      this.#isWoken = false;
      await this.#step();
    }
    this.#isTurning = false;
  }

  /** The handler waits: reads its requests, then resolves one of them or ends the round. */
  async #step(): Promise<void> {
    for (let ask = this.#unread.shift(); ask; ask = this.#unread.shift()) await this.#read(ask);
    if (this.#isWoken || this.#phase !== "running" || this.#keeping > 0) return;
    if (this.#ready.length > 0) await this.#deliver();
    else if (this.#pending.length > 0 || this.#sleeps.mayLeave) this.#endRound();
  }

  async #read(ask: Ask): Promise<void> {
    const { inputRequest, occurrence, resolve, reject } = ask;
    try {
      const digest = await this.#digestOfText(ask.text);
      const key = ask.key ?? `${digest.slice(0, 16)}.${occurrence}`;
      const known = this.#replay.findAnswer(key, digest, ask.label);
      const response = known ? known.entry.value : this.#replay.responseTo(key);
      const reading = response === undefined ? undefined : await inputRequest.read(response);
      if (reading && reading.issue === undefined) {
        const entry = { kind: "answer" as const, key, digest, value: reading.kept, label: ask.label };
        const added = { entry, place: Infinity };
        this.#offer({ ...(known ?? added), value: reading.value, resolve, reject });
      } else if (known) {
        throw new InteractionError(`the answer to ${ask.label} was accepted before and is not now: ${reading?.issue}`);
      } else {
        const request = withIssue(inputRequest.request, reading?.issue);
        this.#pending.push({ key, digest, label: ask.label, request, resolve, reject });
      }
    } catch (error) {
      // A wrong replay fails the call even if the handler catches the error. Errors of the author's schema go to the handler.
      if (error instanceof InteractionError) this.#suspend(error);
      reject(error instanceof InteractionError ? new Suspension() : error);
      this.#wake();
    }
  }

  async #deliver(): Promise<void> {
    const next = this.#ready.reduce((first, other) => (other.place < first.place ? other : first));
    this.#ready.splice(this.#ready.indexOf(next), 1);
    if (next.place === Infinity) {
      this.#hasNews = true;
      this.#replay.add(next.entry);
      await this.#kept(next.entry);
      if (this.#phase !== "running") return next.reject(new Suspension());
    }
    next.resolve(next.value);
    this.#wake();
  }

  /** Nothing is replayed meanwhile, to keep the order of the journal. */
  async #kept(entry: JournalEntry): Promise<void> {
    if (!this.#home?.append) return;
    this.#keeping += 1;
    try {
      await this.#home.append(entry);
    } catch (error) {
      this.#suspend(error);
    }
    this.#keeping -= 1;
  }

  /**
   * A run that makes a new request must first repeat all answered ones. Other work of the handler may delay
   * this, so the run gets some time before the replay fails.
   */
  #endRound(): void {
    const unused = this.#replay.unusedAnswers();
    if (unused.length === 0) {
      this.#suspend(undefined);
    } else if (this.#isGraceOver) {
      const asked = [...this.#pending.map(({ label, key }) => label ?? key), ...this.#sleeps.labels];
      this.#suspend(differentReplay(asked, unused));
    } else {
      this.#graceTimer ??= setTimeout(() => {
        this.#isGraceOver = true;
        this.#wake();
      }, this.#replayGraceMs);
    }
  }

  #suspend(error: unknown): void {
    if (this.#phase !== "running") return;
    ignoreSuspensions();
    this.#phase = "suspended";
    this.#error = error;
    const waiting = [...this.#unread, ...this.#ready, ...this.#pending, ...this.#sleeps.waiting];
    for (const { reject } of waiting) reject(new Suspension());
  }
}
