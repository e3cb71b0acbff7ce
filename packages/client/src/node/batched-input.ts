// Writes lines to the stdin of a process: all lines of one event-loop turn in one write, and no more than it can take.
import type { Writable } from "node:stream";

/**
 * Characters of the first write of a turn. The server starts on them while this process serializes the next messages: with a core for each,
 * that saves more than fewer system calls would. Each further write of the turn takes twice as much, because the server has work by then.
 */
const firstWrite = 512;
const largestWrite = 16_384;

export class BatchedInput {
  readonly #stdin: Writable;
  #waiting = "";
  #fullWrite = firstWrite;
  #isTurnEndDue = false;
  #drained: Promise<void> | undefined;
  readonly #endTurn = (): void => {
    this.#isTurnEndDue = false;
    this.#fullWrite = firstWrite;
    this.#flush();
  };

  constructor(stdin: Writable) {
    this.#stdin = stdin;
  }

  /** The text that the process has not taken, in UTF-16 code units. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Returns a promise only if the process does not read: it resolves when the process has taken the text. */
  write(line: string): void | Promise<void> {
    this.#waiting += line;
    if (this.#drained !== undefined) return this.#drained;
    if (!this.#isTurnEndDue) {
      this.#isTurnEndDue = true;
      setImmediate(this.#endTurn);
    }
    if (this.#waiting.length < this.#fullWrite) return;
    this.#fullWrite = Math.min(largestWrite, 2 * this.#fullWrite);
    this.#flush();
    return this.#drained;
  }

  #flush(): void {
    if (this.#drained !== undefined) return;
    const text = this.#waiting;
    this.#waiting = "";
    if (text === "" || this.#stdin.write(text)) return;
    this.#drained = new Promise((resolve) => {
      this.#stdin.once("drain", () => {
        this.#drained = undefined;
        this.#flush();
        resolve();
      });
    });
  }
}
