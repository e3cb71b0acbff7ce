// Writes lines to the stdin of a process: all lines of one event-loop turn in one write, and no more than it can take.
import type { Writable } from "node:stream";

/**
 * Characters per write. A small value lets the server start on the first messages while we serialize the next ones. With
 * a core for each, that saves more than fewer system calls would.
 */
const fullWrite = 512;

export class BatchedInput {
  readonly #stdin: Writable;
  readonly #flushLater = (): void => this.#flush();
  #waiting = "";
  #isFlushDue = false;
  #drained: Promise<void> | undefined;

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
    if (this.#waiting.length >= fullWrite) {
      this.#flush();
      return this.#drained;
    }
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(this.#flushLater);
  }

  #flush(): void {
    this.#isFlushDue = false;
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
