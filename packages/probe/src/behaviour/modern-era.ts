// Decides whether a server is modern. Only a result of `server/discover`, or a refusal that names modern revisions, proves it.
import {
  type DiscoverResult,
  errorCode,
  isDiscoverResult,
  isJsonObject,
  legacyRevisions,
  method,
  modernRevisions,
} from "@lethe/protocol";
import type { Exchange } from "../exchange/exchange.ts";
import { inShort, isRefusal, type Problem, problemOf } from "./problem.ts";

/** A reason for a verdict, and the numbers of the exchanges that prove it. */
export interface Reason {
  readonly text: string;
  readonly exchanges: readonly number[];
}

export interface ModernFinding {
  /** Undefined if unknown: `problem` states the reason. */
  readonly isSpoken: boolean | undefined;
  /** The modern revisions that the server named. */
  readonly revisions: readonly string[];
  readonly discovered?: DiscoverResult;
  /** True if requests were answered without a session. Undefined if not tested. */
  readonly isStateless?: boolean;
  readonly reasons: readonly Reason[];
  readonly problem?: Problem;
}

/** The finding if only the legacy era is probed. */
export const modernUnasked: ModernFinding = { isSpoken: undefined, revisions: [], reasons: [] };

/** Decides by the answer to `server/discover` alone. */
export function decideModern(discover: Exchange): ModernFinding {
  const { answer, number } = discover;
  const because = (text: string): readonly Reason[] => [{ text, exchanges: [number] }];
  const named = modernOnly(namedRevisions(discover));
  if (answer.kind === "result") {
    if (!isDiscoverResult(answer.result))
      return notSpoken(because("server/discover got an answer that is not a discover result"));
    if (named.length === 0) return notSpoken(because("server/discover names no modern revision"));
    const reasons = because(`server/discover names ${named.join(", ")}`);
    return withCommonRevision({ isSpoken: true, revisions: named, discovered: answer.result, reasons }, number);
  }
  if (named.length > 0) {
    const reasons = because(`server/discover was refused, and the refusal names ${named.join(", ")}`);
    return withCommonRevision({ isSpoken: true, revisions: named, reasons }, number);
  }
  const problem = problemOf(discover);
  // A 401 may mean a missing session. Later requests show more.
  if (problem) return { isSpoken: undefined, revisions: [], reasons: [], problem };
  return notSpoken(because(`server/discover was refused: ${inShort(discover)}`));
}

/** The same modern list request, without a session id and with a made-up one. */
export interface ModernTrials {
  plain: Exchange;
  foreign: Exchange | undefined;
}

export function decideModernService(finding: ModernFinding, { plain, foreign }: ModernTrials): ModernFinding {
  const { answer, number, what } = plain;
  if (answer.kind === "result") {
    const reasons = [...finding.reasons, { text: `${what} was answered without any session`, exchanges: [number] }];
    if (typeof answer.result.resultType !== "string") {
      reasons.push({ text: "its result lacks resultType", exchanges: [number] });
    }
    if (foreign?.answer.kind === "result") {
      reasons.push({ text: "a made-up session id changed nothing", exchanges: [foreign.number] });
    } else if (foreign && isRefusal(foreign)) {
      reasons.push({ text: `a made-up session id was refused: ${inShort(foreign)}`, exchanges: [foreign.number] });
    }
    return { ...finding, isStateless: true, reasons };
  }
  const isRevoked = answer.kind === "error" && answer.error.code === errorCode.unsupportedProtocolVersion;
  if (isRevoked && modernOnly(namedRevisions(plain)).length === 0) {
    // The server announces the era but serves none of its requests.
    const text = "server/discover was answered, but every other modern request is refused by its revision";
    return notSpoken([...finding.reasons, { text, exchanges: [number] }]);
  }
  const refused: Problem = {
    ...{ reason: "refused", message: `${what} was refused: ${inShort(plain)}`, exchange: number },
    advice: "see the server's log: it announces this feature but refuses it",
  };
  return { ...finding, problem: problemOf(plain) ?? refused };
}

/** The list method of the first feature that the server offers. */
export function listMethodOf(capabilities: unknown): string | undefined {
  if (!isJsonObject(capabilities)) return undefined;
  if (capabilities.tools) return method.listTools;
  if (capabilities.resources) return method.listResources;
  return capabilities.prompts ? method.listPrompts : undefined;
}

/** The revisions that a result or an error lists. */
function namedRevisions({ answer }: Exchange): readonly string[] {
  const named =
    answer.kind === "result"
      ? answer.result.supportedVersions
      : answer.kind === "error" &&
          answer.error.code === errorCode.unsupportedProtocolVersion &&
          isJsonObject(answer.error.data)
        ? answer.error.data.supported
        : undefined;
  return Array.isArray(named) ? named.filter((item) => typeof item === "string") : [];
}

/** Revisions that are not legacy, including those newer than this package. */
function modernOnly(revisions: readonly string[]): readonly string[] {
  return revisions.filter((revision) => !legacyRevisions.includes(revision));
}

function withCommonRevision(finding: ModernFinding, exchange: number): ModernFinding {
  if (finding.revisions.some((revision) => modernRevisions.includes(revision))) return finding;
  const problem: Problem = {
    ...{
      reason: "no-common-revision",
      message: `it speaks only ${finding.revisions.join(", ")}, which the probe does not support`,
      exchange,
    },
    advice: "use a newer version of this program",
  };
  return { ...finding, problem };
}

function notSpoken(reasons: readonly Reason[]): ModernFinding {
  return { isSpoken: false, revisions: [], reasons };
}

/** True if the refusal of `initialize` shows that the server has no legacy era. */
export function refusesLegacy(initialize: Exchange): boolean {
  return modernOnly(namedRevisions(initialize)).length > 0;
}
