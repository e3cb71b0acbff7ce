// Reports problems of catalogues: each once until it goes away, and a limited number for each upstream, however often its lists
// change.
import type { CatalogProblem } from "./catalog-part.ts";

/** The maximum number of lines for one upstream within one window. */
const maxLines = 100;
/** In ms. */
const windowMs = 60_000;

interface Window {
  readonly began: number;
  logged: number;
  suppressed: number;
}

export class ProblemLog {
  readonly #report: (problem: string, upstream: string) => void;
  readonly #windows: Map<string, Window> = new Map();
  #reported: ReadonlySet<string> = new Set();

  constructor(report: (problem: string, upstream: string) => void) {
    this.#report = report;
  }

  /** All current problems. */
  tell(problems: readonly CatalogProblem[]): void {
    const present = new Set<string>();
    for (const { problem, upstream } of problems) {
      if (!present.has(problem) && !this.#reported.has(problem)) this.#tell(problem, upstream);
      present.add(problem);
    }
    this.#reported = present;
    const now = Date.now();
    for (const [upstream, { began, suppressed }] of this.#windows) {
      if (now - began < windowMs) continue;
      this.#windows.delete(upstream);
      if (suppressed > 0)
        this.#report(`${upstream}: ${suppressed} more problems of its lists were not logged`, upstream);
    }
  }

  #tell(problem: string, upstream: string): void {
    const window = this.#windows.get(upstream) ?? { began: Date.now(), logged: 0, suppressed: 0 };
    this.#windows.set(upstream, window);
    if (window.logged >= maxLines) {
      window.suppressed += 1;
      return;
    }
    window.logged += 1;
    this.#report(problem, upstream);
  }
}
