// Reports problems of catalogues: each once until it goes away, and a limited number for each upstream, however often its lists
// change.
import type { CatalogProblem } from "./catalog-part.ts";

/** The maximum number of lines for one upstream within one window. */
const maxLines = 100;
/** In ms. */
const windowMs = 60_000;

interface Window {
  readonly began: number;
  told: number;
  untold: number;
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
    for (const [upstream, { began, untold }] of this.#windows) {
      if (now - began < windowMs) continue;
      this.#windows.delete(upstream);
      if (untold > 0) this.#report(`${upstream}: ${untold} more problems of its lists were not logged`, upstream);
    }
  }

  #tell(problem: string, upstream: string): void {
    const window = this.#windows.get(upstream) ?? { began: Date.now(), told: 0, untold: 0 };
    this.#windows.set(upstream, window);
    if (window.told >= maxLines) {
      window.untold += 1;
      return;
    }
    window.told += 1;
    this.#report(problem, upstream);
  }
}
