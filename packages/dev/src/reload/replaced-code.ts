// Code that was replaced and finishes its calls. Its number and time are limited.
import type { LoadedCode } from "../process/loaded-code.ts";

/** Versions of the code that finish calls beside the current one. */
const maxReplaced = 3;
/** How long calls may continue on replaced code, in ms. */
const finishMs = 600_000;

export class ReplacedCode {
  readonly #stops = new Set<AbortController>();
  readonly #ending = new Set<Promise<void>>();
  readonly #onCutOff: (reason: string) => void;

  constructor(onCutOff: (reason: string) => void) {
    this.#onCutOff = onCutOff;
  }

  add(code: LoadedCode): void {
    const [oldest] = this.#stops;
    if (oldest && this.#stops.size >= maxReplaced) {
      this.#onCutOff(`a call still ran on code that ${maxReplaced} reloads have replaced`);
      oldest.abort();
    }
    const stop = new AbortController();
    this.#stops.add(stop);
    const timer = setTimeout(() => {
      this.#onCutOff(`a call still ran on replaced code after ${finishMs / 60_000} minutes`);
      stop.abort();
    }, finishMs);
    const ending = code.retire(stop.signal).finally(() => {
      clearTimeout(timer);
      this.#stops.delete(stop);
      this.#ending.delete(ending);
    });
    this.#ending.add(ending);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop.abort();
    await Promise.all(this.#ending);
  }
}
