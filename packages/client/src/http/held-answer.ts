// Counts an answer while it is read in the memory budget, which ends the reading of the largest answers when it is exceeded.
import { type MemoryBudget, type MemoryHolding, smallBytes } from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

export class HeldAnswer {
  readonly #memory: MemoryBudget;
  readonly #what: string;
  readonly #stop: () => void;
  #holding: MemoryHolding | undefined;

  /** `what` begins the error's message. `stop` ends the reading. */
  constructor(memory: MemoryBudget, what: string, stop: () => void) {
    this.#memory = memory;
    this.#what = what;
    this.#stop = stop;
  }

  get isDropped(): boolean {
    return this.#holding?.isDropped === true;
  }

  get error(): TransportError {
    const { hardBytes } = this.#memory;
    return new TransportError("too_large", `${this.#what}: what peers have sent exceeds ${hardBytes} bytes of memory`);
  }

  /** False when there is no room for so many bytes: the reading is stopped then. */
  fits(bytes: number): boolean {
    if (bytes < smallBytes && !this.#holding) return true;
    this.#holding ??= this.#memory.hold("answers", this.#stop);
    // Its pieces, and the text that they are joined into.
    return this.#holding.set(2 * bytes);
  }

  /** Throws TransportError "too_large" when there is no room for so many bytes. */
  set(bytes: number): void {
    if (!this.fits(bytes)) throw this.error;
  }

  /** Throws TransportError "too_large" when the budget has dropped this answer. */
  requireKept(): void {
    if (this.isDropped) throw this.error;
  }

  release(): void {
    this.#holding?.release();
  }
}
