// One run of a handler, from the top (E.3): hands out what the journal holds, collects what it does not, and suspends
// the handler when nothing is left that it could go on with.
//
// Values are handed out one per turn of the event loop, in the order of the journal. So a handler that awaits nothing
// but this run makes the same calls in the same order in every round, even in parallel branches of which only some were
// answered, and counting is enough to tell two equal questions apart.
import { toCanonicalJson } from "../seal/digest.ts";
import { InteractionError } from "./interaction-error.ts";
import type { JournalEntry, ValueEntry } from "./journal.ts";
import { toJsonValue } from "./json-value.ts";
import { letSuspensionsPass } from "./let-suspensions-pass.ts";
import { type Question, withIssue } from "./question.ts";
import { quiet, rejected } from "./quiet.ts";
import type { Replay } from "./replay.ts";
import type { PendingQuestion, RunEnd } from "./run-end.ts";
import { Suspension } from "./suspension.ts";
import { nextTurn } from "./turn.ts";

export interface HandlerRunOptions {
  replay: Replay;
  /** ms; see InteractionOptions. */
  replayGraceMs: number;
  digestOfText: (text: string) => Promise<string>;
  onWarning: (warning: string) => void;
  /** Keeps what is new in this run. The handler gets it after that; when it rejects, the run fails. */
  keep?: ((entry: JournalEntry) => Promise<void> | undefined) | undefined;
  /** False when nothing new can be kept any more: then nothing new is computed. */
  mayKeep?: (() => boolean) | undefined;
}

interface Settle {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Ask extends Settle {
  readonly question: Question<unknown>;
  /** The question as canonical JSON. */
  readonly text: string;
  readonly key: string | undefined;
  readonly occurrence: number;
}

interface Delivery extends Settle {
  readonly entry: JournalEntry;
  readonly place: number;
  readonly value: unknown;
}

type ValueId = Pick<ValueEntry, "kind" | "key">;

/** A handler that asks more often than this after its suspension asks in a loop. */
const maxLateCalls = 100;

export class HandlerRun {
  readonly #replay: Replay;
  readonly #replayGraceMs: number;
  readonly #digestOfText: (text: string) => Promise<string>;
  readonly #onWarning: (warning: string) => void;
  readonly #keep: HandlerRunOptions["keep"];
  readonly #mayKeep: HandlerRunOptions["mayKeep"];
  /** How often each question was asked, by its key or its text. */
  readonly #occurrences = new Map<string, number>();
  readonly #onceKeys = new Set<string>();
  readonly #computing = new Set<Promise<void>>();
  readonly #unread: Ask[] = [];
  readonly #ready: Delivery[] = [];
  readonly #pending: (PendingQuestion & Settle)[] = [];
  #phase: "running" | "suspended" | "ended" = "running";
  #error: unknown;
  #keeping = 0;
  #isWoken = false;
  #isTurning = false;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #isGraceOver = false;
  #autoCount = 0;
  #inside: string | undefined;
  #lateCalls = 0;
  #hasNews = false;

  constructor({ replay, replayGraceMs, digestOfText, onWarning, keep, mayKeep }: HandlerRunOptions) {
    this.#replay = replay;
    this.#keep = keep;
    this.#mayKeep = mayKeep;
    this.#replayGraceMs = replayGraceMs;
    this.#digestOfText = digestOfText;
    this.#onWarning = onWarning;
  }

  /** True when the handler got an answer that the journal did not hold, or began to compute a value that it did not hold. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  ask<T>(question: Question<T>, key: string | undefined): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    const text = toCanonicalJson(question.request);
    const name = key ?? text;
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    if (key !== undefined && occurrence > 1) {
      return rejected(new InteractionError(`two questions of one run have the key "${key}"`));
    }
    return this.#wait<T>((settle) => {
      this.#unread.push({ question, text, key, occurrence, ...settle });
      this.#wake();
    });
  }

  /** Without a key, calls are counted. */
  once<T>(key: string | undefined, compute: () => T | Promise<T>): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    if (key !== undefined) {
      if (this.#onceKeys.has(key)) return rejected(new InteractionError(`once("${key}") was called twice in one run`));
      this.#onceKeys.add(key);
    } else this.#autoCount += 1;
    const id: ValueId = key === undefined ? { kind: "auto", key: String(this.#autoCount) } : { kind: "once", key };
    const known = this.#replay.findValue(id.kind, id.key);
    if (!known && this.#mayKeep?.() === false) {
      return rejected(
        new InteractionError("nothing can be remembered: the task has ended, or another process runs it"),
      );
    }
    return this.#wait<T>((settle) => {
      if (known) this.#offer({ ...known, value: known.entry.value, ...settle });
      else this.#compute(id, compute, settle);
    });
  }

  /** To be called when the handler has settled. Waits for computations under way: their effects are happening. */
  async end(): Promise<RunEnd> {
    clearTimeout(this.#graceTimer);
    const isSuspended = this.#phase === "suspended";
    while (isSuspended && this.#computing.size > 0) await Promise.all(this.#computing);
    this.#phase = "ended";
    return { isSuspended, error: this.#error, pending: this.#pending };
  }

  /** Once suspended, nothing may happen any more: whatever the handler does now, it will do again. */
  #refusal(): Promise<never> | undefined {
    if (this.#inside !== undefined) {
      return rejected(new InteractionError(`nothing can be asked or remembered inside once("${this.#inside}")`));
    }
    if (this.#phase === "running") return undefined;
    if (this.#phase === "ended")
      return rejected(new InteractionError("the call has ended: nothing can be asked any more"));
    this.#lateCalls += 1;
    if (this.#lateCalls <= maxLateCalls) return rejected(new Suspension());
    if (this.#lateCalls === maxLateCalls + 1) this.#onWarning("keeps asking after its suspension and is left waiting");
    return new Promise(() => {});
  }

  #wait<T>(start: (settle: Settle) => void): Promise<T> {
    return quiet(
      new Promise<T>((resolve, reject) => {
        start({ resolve: resolve as (value: unknown) => void, reject });
      }),
    );
  }

  #compute(id: ValueId, compute: () => unknown, settle: Settle): void {
    this.#hasNews = true;
    const computing = this.#runOnce(id, compute, settle).finally(() => {
      this.#computing.delete(computing);
    });
    this.#computing.add(computing);
  }

  async #runOnce(id: ValueId, compute: () => unknown, settle: Settle): Promise<void> {
    try {
      const computed = await this.#callInside(id.key, compute);
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

  /** Later rounds do not call the function, so they would not ask what it asks. Seen up to its first await. */
  #callInside(key: string, compute: () => unknown): unknown {
    this.#inside = key;
    try {
      return compute();
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

  /** The handler has come to rest: reads what it asked, then gives it one thing to go on with, or ends the round. */
  async #step(): Promise<void> {
    for (let ask = this.#unread.shift(); ask; ask = this.#unread.shift()) await this.#read(ask);
    if (this.#isWoken || this.#phase !== "running" || this.#keeping > 0) return;
    if (this.#ready.length > 0) await this.#deliver();
    else if (this.#pending.length > 0) this.#endRound();
  }

  async #read(ask: Ask): Promise<void> {
    const { question, occurrence, resolve, reject } = ask;
    try {
      const digest = await this.#digestOfText(ask.text);
      const key = ask.key ?? `${digest.slice(0, 16)}.${occurrence}`;
      const known = this.#replay.findAnswer(key, digest);
      const response = known ? known.entry.value : this.#replay.responseTo(key);
      const reading = response === undefined ? undefined : await question.read(response);
      if (reading && reading.issue === undefined) {
        const added = { entry: { kind: "answer" as const, key, digest, value: reading.kept }, place: Infinity };
        this.#offer({ ...(known ?? added), value: reading.value, resolve, reject });
      } else if (known) {
        throw new InteractionError(`the answer to "${key}" was accepted before and is not now: ${reading?.issue}`);
      } else {
        this.#pending.push({ key, digest, request: withIssue(question.request, reading?.issue), resolve, reject });
      }
    } catch (error) {
      // A wrong replay fails the call, whatever the handler makes of it. What the author's own schema throws is theirs.
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

  /** Meanwhile nothing is handed out: the order has to be that of the journal. */
  async #kept(entry: JournalEntry): Promise<void> {
    if (!this.#keep) return;
    this.#keeping += 1;
    try {
      await this.#keep(entry);
    } catch (error) {
      this.#suspend(error);
    }
    this.#keeping -= 1;
  }

  /**
   * A run that asks something new has to have asked everything that was answered. Other work of the handler may hold
   * that up for a while: it is given some time, and only then taken for another run than the one before.
   */
  #endRound(): void {
    const unused = this.#replay.unusedAnswers();
    if (unused.length === 0) {
      this.#suspend(undefined);
    } else if (this.#isGraceOver) {
      const keys = unused.map((key) => `"${key}"`).join(", ");
      this.#suspend(new InteractionError(`something new was asked where ${keys} had been asked before`));
    } else {
      this.#graceTimer ??= setTimeout(() => {
        this.#isGraceOver = true;
        this.#wake();
      }, this.#replayGraceMs);
    }
  }

  #suspend(error: unknown): void {
    if (this.#phase !== "running") return;
    letSuspensionsPass();
    this.#phase = "suspended";
    this.#error = error;
    for (const waiting of [...this.#unread, ...this.#ready, ...this.#pending]) waiting.reject(new Suspension());
  }
}
