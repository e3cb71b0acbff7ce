// The facts that the behavioural test found about a server. verdict/ turns them into verdicts.
import type { JsonObject, TransportName } from "@lethe/protocol";
import type { InitializeResult } from "@lethe/protocol/revisions";
import type { ModernFinding, Reason } from "./modern-era.ts";
import type { Problem } from "./problem.ts";
import type { ContractFinding } from "./session-contract.ts";

/** The transport of a probed server. */
export type Transport = TransportName;

export interface LegacyFinding extends ContractFinding {
  /** Undefined if unknown: `problem` states the reason. */
  readonly isSpoken: boolean | undefined;
  readonly initialized?: InitializeResult;
}

/** Whether the next request may go to another machine or process. */
export interface InstanceFinding {
  readonly kind: "replica" | "restart";
  /** The URL of the replica. */
  readonly address?: string;
  readonly era: "modern" | "legacy";
  /** The method of the test. A result for a list may not hold for a call. */
  readonly method: string;
  /** Null if the answers are inconclusive. */
  readonly isAnyInstance: boolean | null;
  readonly reasons: readonly Reason[];
}

/** A session that the probe could not end. It lasts until the server expires it. */
export interface Leftover {
  readonly sessionId: string;
  /** A short form of the answer to DELETE. */
  readonly answer: string;
}

/** A legacy session that lasts until the clean-up, with the data that requests to a replica need. */
export interface LegacySession {
  readonly sessionId: string | undefined;
  /** Headers of every request in the session. */
  readonly headers: Readonly<Record<string, string>>;
  /** The method of the request that all trials send. */
  readonly method: string;
}

/** The facts about one address. */
export type HttpFindings = Omit<Findings, "instances" | "leftovers"> & { readonly session?: LegacySession | undefined };

export interface Findings {
  readonly transport: Transport | undefined;
  readonly modern: ModernFinding;
  readonly legacy: LegacyFinding;
  readonly instances: readonly InstanceFinding[];
  readonly leftovers: readonly Leftover[];
  /** The result of the first list that was answered. */
  readonly listing?: JsonObject | undefined;
  /** Sentences for the report that do not affect the verdict. */
  readonly remarks: readonly string[];
}

export function legacyUnknown(problem: Problem, ...reasons: Reason[]): LegacyFinding {
  return { isSpoken: undefined, confidence: "low", reasons, problem };
}

export function legacyNotSpoken(...reasons: Reason[]): LegacyFinding {
  return { isSpoken: false, confidence: "high", reasons };
}
