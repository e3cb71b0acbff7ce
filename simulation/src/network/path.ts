// The way of bytes from one machine to another, in one direction. While it is cut, bytes wait: TCP sends them again.
import type { Agenda } from "../world/agenda.ts";
import type { Random } from "../world/random.ts";

export class Path {
  readonly #agenda: Agenda;
  readonly #random: Random;
  #isCut = false;
  #onRestored: (() => void)[] = [];
  /** The delay of most deliveries, in ms. */
  delayMs = 0.5;
  /** The part of deliveries that take up to a hundred times as long. */
  slowPart = 0;

  constructor(agenda: Agenda, random: Random) {
    this.#agenda = agenda;
    this.#random = random;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  cut(): void {
    this.#isCut = true;
  }

  restore(): void {
    if (!this.#isCut) return;
    this.#isCut = false;
    for (const listener of this.#onRestored.splice(0))
      this.#agenda.after(this.drawDelay() + this.#random.between(0, 200), listener);
  }

  /** Calls `listener` some time after the path works again. */
  onceRestored(listener: () => void): void {
    this.#onRestored.push(listener);
  }

  drawDelay(): number {
    const factor = this.#random.chance(this.slowPart) ? this.#random.between(5, 100) : this.#random.between(0.5, 2);
    return this.delayMs * factor;
  }
}

/** One direction of a TCP connection: items arrive in the order in which they were sent. */
export class Wire<T> {
  readonly #agenda: Agenda;
  readonly #path: Path;
  readonly #deliver: (item: T) => void;
  #queue: T[] = [];
  #lastAt = 0;
  /** How many items would have arrived if the path were not cut. */
  #due = 0;

  constructor(agenda: Agenda, path: Path, deliver: (item: T) => void) {
    this.#agenda = agenda;
    this.#path = path;
    this.#deliver = deliver;
  }

  send(item: T): void {
    this.#queue.push(item);
    this.#lastAt = Math.max(this.#lastAt, this.#agenda.now + this.#path.drawDelay());
    this.#agenda.at(this.#lastAt, () => {
      this.#due += 1;
      this.#drain();
    });
  }

  /** Drops what has not arrived: the sender's machine has forgotten the connection. */
  drop(): void {
    this.#queue = [];
    this.#due = 0;
  }

  #drain(): void {
    while (this.#due > 0 && this.#queue.length > 0) {
      if (this.#path.isCut) {
        this.#path.onceRestored(() => this.#drain());
        return;
      }
      this.#due -= 1;
      this.#deliver(this.#queue.shift() as T);
    }
  }
}
