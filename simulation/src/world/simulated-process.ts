// A process of the simulation: its clock, and when it runs. A frozen process is one that was stopped (SIGSTOP) or whose event loop
// stalls: its timers and the bytes that reach it wait.
import type { Clock } from "@lethe/server/stores";
import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";

export interface ProcessClock {
  /** How much faster its clock runs than simulated time: 0.01 is one percent. */
  readonly drift: number;
  /** How far its wall clock is ahead at the start, in ms. */
  readonly skewMs: number;
}

/** The wall clock of a simulation begins at this time, in ms since 1970. */
const epoch = 1_700_000_000_000;

export class SimulatedProcess {
  /** The process whose event runs. Code that reads the time from a global function gets the clock of this process. */
  static current: SimulatedProcess | undefined;

  readonly name: string;
  readonly clock: Clock;
  readonly #agenda: Agenda;
  readonly #random: Random;
  readonly #bornAt: number;
  readonly #drift: number;
  #skewMs: number;
  #state: "running" | "frozen" | "dead" = "running";
  /** What happened while it was frozen. */
  #waiting: { readonly isTimer: boolean; readonly run: () => void }[] = [];

  constructor(name: string, agenda: Agenda, random: Random, { drift, skewMs }: ProcessClock) {
    this.name = name;
    this.#agenda = agenda;
    this.#random = random;
    this.#bornAt = agenda.now - random.between(0, 100_000);
    this.#drift = drift;
    this.#skewMs = skewMs;
    this.clock = {
      now: () => (agenda.now - this.#bornAt) * (1 + this.#drift),
      wallTime: () => epoch + agenda.now + this.#skewMs,
      after: (ms, callback) => agenda.after(Math.max(ms, 0) / (1 + this.#drift), () => this.#receive(true, callback)),
    };
  }

  get isAlive(): boolean {
    return this.#state !== "dead";
  }

  get isFrozen(): boolean {
    return this.#state === "frozen";
  }

  /** Runs code of this process now. Does nothing after its death. */
  run(code: () => void): void {
    if (this.#state === "dead") return;
    SimulatedProcess.current = this;
    code();
  }

  /** Something arrived from outside: it runs at once, or after the thaw. */
  deliver(code: () => void): void {
    this.#receive(false, code);
  }

  freeze(): void {
    if (this.#state === "running") this.#state = "frozen";
  }

  /** Runs what waited. Node.js runs the timers that are due first, but it may also have stood still after them. */
  thaw(): void {
    if (this.#state !== "frozen") return;
    this.#state = "running";
    const waiting = this.#waiting;
    this.#waiting = [];
    const isTimersFirst = this.#random.chance(0.7);
    const ordered = isTimersFirst
      ? [...waiting.filter(({ isTimer }) => isTimer), ...waiting.filter(({ isTimer }) => !isTimer)]
      : waiting;
    for (const { isTimer, run } of ordered) this.#agenda.at(this.#agenda.now, () => this.#receive(isTimer, run));
  }

  kill(): void {
    this.#state = "dead";
    this.#waiting = [];
  }

  /** The wall clock jumps. */
  skew(ms: number): void {
    this.#skewMs += ms;
  }

  #receive(isTimer: boolean, run: () => void): void {
    if (this.#state === "frozen") this.#waiting.push({ isTimer, run });
    else this.run(run);
  }
}
