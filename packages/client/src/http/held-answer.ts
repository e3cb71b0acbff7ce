// Counts a response against the memory budget while it is read. Above the budget, the largest responses are aborted.
import { type MemoryBudget, type MemoryHolding, smallBytes } from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

export class HeldAnswer {
  readonly #memory: MemoryBudget;
  readonly #what: string;
  readonly #stop: () => void;
  #holding: MemoryHolding | undefined;

  /** `what` begins the error's message. `stop` aborts reading. */
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

  /** False if the bytes exceed the budget. Reading is aborted then. */
  fits(bytes: number): boolean {
    if (bytes < smallBytes && !this.#holding) return true;
    this.#holding ??= this.#memory.hold("answers", this.#stop);
    // The chunks, and the text they are joined into.
    return this.#holding.set(2 * bytes);
  }

  /** Throws TransportError "too_large" if the bytes exceed the budget. */
  set(bytes: number): void {
    if (!this.fits(bytes)) throw this.error;
  }

  /** Throws TransportError "too_large" if the budget aborted this response. */
  requireKept(): void {
    if (this.isDropped) throw this.error;
  }

  release(): void {
    this.#holding?.release();
  }
}
