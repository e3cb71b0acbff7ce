// Writes lines to the stdin of a process: all lines of one event-loop turn in one write, and no more than it can take.
import { availableParallelism } from "node:os";
import type { Writable } from "node:stream";

const largestWrite = 16_384;
/**
 * Characters of the first write of a turn. The server starts on them while this process serializes the next messages: with a core for each,
 * that saves more than fewer system calls would. Each further write of the turn takes twice as much, because the server has work by then.
 * On one core, the server works only while this process does not.
 */
const usualFirstWrite = availableParallelism() > 1 ? 512 : largestWrite;

export class BatchedInput {
  readonly #stdin: Writable;
  readonly #firstWrite: number;
  #waiting = "";
  #fullWrite: number;
  #isTurnEndDue = false;
  #drained: Promise<void> | undefined;
  readonly #endTurn = (): void => {
    this.#isTurnEndDue = false;
    this.#fullWrite = this.#firstWrite;
    this.#flush();
  };

  constructor(stdin: Writable, firstWrite: number = usualFirstWrite) {
    this.#stdin = stdin;
    this.#firstWrite = firstWrite;
    this.#fullWrite = firstWrite;
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
