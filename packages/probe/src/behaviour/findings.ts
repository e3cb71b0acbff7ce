// What the behavioural test found out: facts of one server, before anybody makes a verdict of them.
import type { JsonObject } from "@lethe/protocol";
import type { InitializeResult } from "@lethe/protocol/revisions";
import type { ModernFinding, Reason } from "./modern-era.ts";
import type { Problem } from "./problem.ts";
import type { ContractFinding } from "./session-contract.ts";

export type Transport = "streamable-http" | "http+sse" | "stdio";

export interface LegacyFinding extends ContractFinding {
  /** Undefined when nothing was learnt: `problem` says why. */
  readonly isSpoken: boolean | undefined;
  readonly initialized?: InitializeResult;
}

/** May the next request land on another machine, or another process? */
export interface InstanceFinding {
  readonly kind: "replica" | "restart";
  /** The replica's address. */
  readonly address?: string;
  readonly era: "modern" | "legacy";
  /** The method that was tried: what holds for a list need not hold for a call. */
  readonly method: string;
  /** Null when the answers show nothing. */
  readonly isAnyInstance: boolean | null;
  readonly reasons: readonly Reason[];
}

/** A session that we could not end: the server keeps it until it forgets it by itself. */
export interface Leftover {
  readonly sessionId: string;
  /** The answer to DELETE, in short. */
  readonly answer: string;
}

/** A legacy session that lives until the clean-up, and how to speak in it: what a replica is asked about. */
export interface LegacySession {
  readonly sessionId: string | undefined;
  /** Of every request in it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request that is the same in every trial. */
  readonly method: string;
}

/** What one address showed. */
export type HttpFindings = Omit<Findings, "instances" | "leftovers"> & { readonly session?: LegacySession | undefined };

export interface Findings {
  readonly transport: Transport | undefined;
  readonly modern: ModernFinding;
  readonly legacy: LegacyFinding;
  readonly instances: readonly InstanceFinding[];
  readonly leftovers: readonly Leftover[];
  /** The result of the first list that was answered. */
  readonly listing?: JsonObject | undefined;
  /** What is worth a word and changes no verdict. */
  readonly remarks: readonly string[];
}

export function legacyUnknown(problem: Problem, ...reasons: Reason[]): LegacyFinding {
  return { isSpoken: undefined, confidence: "low", reasons, problem };
}

export function legacyNotSpoken(...reasons: Reason[]): LegacyFinding {
  return { isSpoken: false, confidence: "high", reasons };
}
