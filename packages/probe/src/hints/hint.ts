// A hint: a cheap guess next to the verdict. It never overrides the verdict, because declarations do not prove behaviour.
import type { Word } from "../verdict/era-verdict.ts";

/** A guess about sessions from metadata or capabilities. It never overrides observed behaviour. */
export interface Hint {
  readonly method: "metadata" | "capabilities";
  readonly word: Word;
  /** From -100 (stateless) to 100 (stateful). */
  readonly score: number;
  readonly reasons: readonly ScoredReason[];
}

/** One reason of a hint, with its weight from -100 (stateless) to 100 (stateful). */
export interface ScoredReason {
  readonly score: number;
  readonly text: string;
}

/** A score between minus this value and this value is no hint. */
const threshold = 30;

export function toHint(method: Hint["method"], reasons: readonly ScoredReason[]): Hint {
  const sum = reasons.reduce((total, { score }) => total + score, 0);
  const score = Math.max(-100, Math.min(100, sum));
  const word: Word = score >= threshold ? "STATEFUL" : score <= -threshold ? "STATELESS" : "UNKNOWN";
  return { method, word, score, reasons };
}
