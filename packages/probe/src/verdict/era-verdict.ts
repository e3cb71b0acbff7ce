// The verdict on each era, with its reasons.
import type { LegacyFinding } from "../behaviour/findings.ts";
import type { ModernFinding, Reason } from "../behaviour/modern-era.ts";
import type { Problem } from "../behaviour/problem.ts";
import type { Confidence, Contract } from "../behaviour/session-contract.ts";

/**
 * A verdict about sessions of the protocol. STATELESS: any request may go to any instance with the server's data. STATEFUL: a
 * session must continue on the instance where it started.
 */
export type Word = "STATELESS" | "STATEFUL" | "UNKNOWN";

/** The verdict on one era of a server: whether it speaks it, and whether it keeps sessions. */
export interface EraVerdict {
  /** Null if unknown. */
  readonly isSpoken: boolean | null;
  readonly word: Word;
  readonly revisions: readonly string[];
  readonly contract?: Contract;
  /** For "optional": made-up ids are refused, so the server keeps a table of sessions. */
  readonly isChecked?: boolean;
  readonly confidence: Confidence;
  readonly reasons: readonly Reason[];
  /** Why the verdict is UNKNOWN, with advice. */
  readonly problem?: Problem;
}

export function toModernVerdict({ isSpoken, revisions, isStateless, reasons, problem }: ModernFinding): EraVerdict {
  const base = { isSpoken: isSpoken ?? null, revisions, reasons, ...(problem && { problem }) };
  if (!isSpoken) return { ...base, word: "UNKNOWN", confidence: isSpoken === false ? "high" : "low" };
  if (!isStateless) return { ...base, word: "UNKNOWN", confidence: "low" };
  return { ...base, word: "STATELESS", contract: "none", confidence: "high" };
}

export function toLegacyVerdict(finding: LegacyFinding): EraVerdict {
  const { isSpoken, initialized, contract, isChecked, confidence, reasons, problem } = finding;
  return {
    isSpoken: isSpoken ?? null,
    word: isSpoken && contract ? toWord(contract, isChecked === true) : "UNKNOWN",
    revisions: initialized ? [initialized.protocolVersion] : [],
    ...(contract && { contract }),
    ...(isChecked && { isChecked }),
    confidence: isSpoken === undefined ? "low" : confidence,
    reasons,
    ...(problem && { problem }),
  };
}

/** A client must send its session id (D-33). If the server refuses other ids, only the instance that issued it can serve it. */
function toWord(contract: Contract, isChecked: boolean): Word {
  switch (contract) {
    case "none":
    case "soft":
      return "STATELESS";
    case "optional":
      return isChecked ? "STATEFUL" : "STATELESS";
    default:
      return "STATEFUL";
  }
}

/** Returns the newest era that the server speaks. Its verdict is that of the server. */
export function newestEraOf(modern: EraVerdict, legacy: EraVerdict): "modern" | "legacy" | undefined {
  if (modern.isSpoken) return "modern";
  return legacy.isSpoken ? "legacy" : undefined;
}
