// Is a server modern? Only the result of `server/discover` says so, or a refusal that names modern revisions (lesson 1).
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

/** A sentence of a verdict, and the numbers of the exchanges that show it. */
export interface Reason {
  readonly text: string;
  readonly exchanges: readonly number[];
}

export interface ModernFinding {
  /** Undefined when nothing was learnt: `problem` says why. */
  readonly isSpoken: boolean | undefined;
  /** The modern revisions that the server named. */
  readonly revisions: readonly string[];
  readonly discovered?: DiscoverResult;
  /** Requests were answered without a session, which is what makes the era stateless; undefined when not shown. */
  readonly isStateless?: boolean;
  readonly reasons: readonly Reason[];
  readonly problem?: Problem;
}

/** Where only the older era is asked for. */
export const modernUnasked: ModernFinding = { isSpoken: undefined, revisions: [], reasons: [] };

/** From the answer to `server/discover` alone. */
export function decideModern(discover: Exchange): ModernFinding {
  const { answer, number } = discover;
  const because = (text: string): readonly Reason[] => [{ text, exchanges: [number] }];
  const named = modernOnly(namedRevisions(discover));
  if (answer.kind === "result") {
    if (!isDiscoverResult(answer.result)) return notSpoken(because("server/discover was answered by something else"));
    if (named.length === 0) return notSpoken(because("server/discover names no modern revision"));
    const reasons = because(`server/discover names ${named.join(", ")}`);
    return withCommonRevision({ isSpoken: true, revisions: named, discovered: answer.result, reasons }, number);
  }
  if (named.length > 0) {
    const reasons = because(`server/discover was refused, and the refusal names ${named.join(", ")}`);
    return withCommonRevision({ isSpoken: true, revisions: named, reasons }, number);
  }
  const problem = problemOf(discover);
  // A 401 may be a session that is missed; what follows shows more, and is told then.
  if (problem) return { isSpoken: undefined, revisions: [], reasons: [], problem };
  return notSpoken(because(`server/discover was refused: ${inShort(discover)}`));
}

/** Lists of the modern era: as they are, and with a session id that nobody gave out. */
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
    // It announces the era and serves nothing of it.
    const text = "server/discover was answered, but every other modern request is refused by its revision";
    return notSpoken([...finding.reasons, { text, exchanges: [number] }]);
  }
  const refused: Problem = {
    ...{ reason: "refused", message: `${what} was refused: ${inShort(plain)}`, exchange: number },
    advice: "see the server's log: it announces this and does not do it",
  };
  return { ...finding, problem: problemOf(plain) ?? refused };
}

/** What a client of this revision could list: the first that the server offers. */
export function listMethodOf(capabilities: unknown): string | undefined {
  if (!isJsonObject(capabilities)) return undefined;
  if (capabilities.tools) return method.listTools;
  if (capabilities.resources) return method.listResources;
  return capabilities.prompts ? method.listPrompts : undefined;
}

/** The revisions that a result or a refusal lists. */
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

/** Whatever is not known as legacy, also revisions that are newer than this package. */
function modernOnly(revisions: readonly string[]): readonly string[] {
  return revisions.filter((revision) => !legacyRevisions.includes(revision));
}

function withCommonRevision(finding: ModernFinding, exchange: number): ModernFinding {
  if (finding.revisions.some((revision) => modernRevisions.includes(revision))) return finding;
  const problem: Problem = {
    ...{ reason: "no-common-revision", message: `it speaks ${finding.revisions.join(", ")} and we do not`, exchange },
    advice: "use a newer version of this program",
  };
  return { ...finding, problem };
}

function notSpoken(reasons: readonly Reason[]): ModernFinding {
  return { isSpoken: false, revisions: [], reasons };
}

/** True when a refusal of `initialize` shows a server that has no legacy era. */
export function refusesLegacy(initialize: Exchange): boolean {
  return modernOnly(namedRevisions(initialize)).length > 0;
}
