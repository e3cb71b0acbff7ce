// One plain word for each era, and what stands behind it.
import type { LegacyFinding } from "../behaviour/findings.ts";
import type { ModernFinding, Reason } from "../behaviour/modern-era.ts";
import type { Problem } from "../behaviour/problem.ts";
import type { Confidence, Contract } from "../behaviour/session-contract.ts";

/**
 * Of the protocol's sessions only. STATELESS: any request may go to any instance that has the server's data. STATEFUL: what a
 * client began must go on where it began.
 */
export type Word = "STATELESS" | "STATEFUL" | "UNKNOWN";

export interface EraVerdict {
  /** Null when nothing was learnt. */
  readonly isSpoken: boolean | null;
  readonly word: Word;
  readonly revisions: readonly string[];
  readonly contract?: Contract;
  /** For "optional": made-up ids are refused, so there is a table of sessions behind it. */
  readonly isChecked?: boolean;
  readonly confidence: Confidence;
  readonly reasons: readonly Reason[];
  /** Why the word is UNKNOWN, and what to do. */
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

/** A client must send the id that it got (D-33): where a foreign one is refused, only the server that gave it out will do. */
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

/** The word for the whole server is that of the newest era which it speaks. */
export function newestEraOf(modern: EraVerdict, legacy: EraVerdict): "modern" | "legacy" | undefined {
  if (modern.isSpoken) return "modern";
  return legacy.isSpoken ? "legacy" : undefined;
}
