// A cheap guess, beside the verdict and never above it: identity and declarations do not show what a server does.
import type { Word } from "../verdict/era-verdict.ts";

export interface Hint {
  readonly method: "metadata" | "capabilities";
  readonly word: Word;
  /** -100 (everything points to stateless) to 100 (everything points to stateful). */
  readonly score: number;
  readonly reasons: readonly ScoredReason[];
}

export interface ScoredReason {
  readonly score: number;
  readonly text: string;
}

/** Fewer points than these either way are no hint. */
const threshold = 30;

export function toHint(method: Hint["method"], reasons: readonly ScoredReason[]): Hint {
  const sum = reasons.reduce((total, { score }) => total + score, 0);
  const score = Math.max(-100, Math.min(100, sum));
  const word: Word = score >= threshold ? "STATEFUL" : score <= -threshold ? "STATELESS" : "UNKNOWN";
  return { method, word, score, reasons };
}
