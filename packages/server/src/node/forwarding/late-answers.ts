// Answers to forwarded calls that the shared store held back: it may have delivered them to a connection that had ended, so they are kept for a
// moment. The replica that waits for one asks again when it has reached the shared store.
import { type MemoryBudget, type MemoryHolding, processMemory, smallBytes } from "@lethe/protocol";
import type { Clock } from "../../clock/clock.ts";
import type { Outcome } from "./message.ts";

interface LateAnswer {
  readonly answer: Outcome;
  readonly holding: MemoryHolding | undefined;
  cancel(): void;
}

const maxAnswers = 1_000;

export class LateAnswers {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #memory: MemoryBudget;
  /** The oldest first. */
  readonly #answers = new Map<string, LateAnswer>();

  constructor(clock: Clock, keepMs: number, memory: MemoryBudget = processMemory) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#memory = memory;
  }

  /** The budget for memory drops large answers when it is exceeded. */
  keep(key: string, answer: Outcome): void {
    const oldest = this.#answers.keys().next();
    if (this.#answers.size >= maxAnswers && !oldest.done) this.forget(oldest.value);
    const bytes = JSON.stringify(answer).length;
    const holding = bytes < smallBytes ? undefined : this.#memory.hold("calls", () => this.forget(key));
    const cancel = this.#clock.after(this.#keepMs, () => this.forget(key));
    this.#answers.set(key, { answer, holding, cancel });
    holding?.set(bytes);
  }

  get(key: string): Outcome | undefined {
    return this.#answers.get(key)?.answer;
  }

  forget(key: string): void {
    const late = this.#answers.get(key);
    this.#answers.delete(key);
    late?.cancel();
    late?.holding?.release();
  }

  clear(): void {
    for (const key of this.#answers.keys()) this.forget(key);
  }
}
