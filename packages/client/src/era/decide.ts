// What a probe says about the era of a server: D.2 for stdio and D.3 for HTTP as pure functions, one branch per step.
import {
  type DiscoverResult,
  errorCode,
  fromDraftError,
  isDiscoverResult,
  isMcpError,
  legacyRevisions,
  McpError,
  modernRevisions,
  type Result,
} from "@lethe/protocol";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { offeredVersionsOf, selectLegacy, selectModern } from "./select-revision.ts";

/** Offered versions in an error message, and the characters of each. */
const shownVersions = 10;
const shownCharacters = 40;

/** How `server/discover`, sent as the first request, ended. */
export type ProbeOutcome =
  | { readonly result: Result }
  /** McpError or TransportError. `status` is the HTTP status, when there was one. */
  | { readonly error: unknown; readonly status?: number | undefined };

export type Decision =
  | { readonly kind: "modern"; readonly revision: string; readonly server: DiscoverResult }
  /** Go on with `initialize`. `because` is for logs. */
  | { readonly kind: "legacy"; readonly because: string }
  /** No evidence of an era, or no revision in common: report this. */
  | { readonly kind: "failed"; readonly error: unknown };

/** Codes that only a modern server has, beside those of a version refusal (D.3/4). */
const modernCodes: ReadonlySet<number> = new Set([errorCode.headerMismatch, errorCode.missingClientCapability]);

/**
 * D.3 steps 3 to 7. A server that is busy, locked or slow, or whose answer is no JSON-RPC message, is never taken for an old one.
 */
export function decideHttp(server: string, outcome: ProbeOutcome): Decision {
  if ("result" in outcome) return decideResult(server, outcome.result);
  const { error, status } = outcome;
  const known = decideKnownError(server, error);
  if (known) return known;
  if (status !== undefined && (isMcpError(error) ? isWithheld(status) : saysNothing(status))) {
    return { kind: "failed", error };
  }
  if (isMcpError(error)) return { kind: "legacy", because: `server/discover was answered by error ${error.code}` };
  if (isTransportError(error) && (error.reason === "status" || error.reason === "invalid" || isOpaque(error))) {
    return { kind: "legacy", because: error.message };
  }
  return { kind: "failed", error };
}

/** D.3/7, G-9: whoever guards a server, or stands in for it, knows nothing of its era. For answers without a JSON-RPC body. */
export function saysNothing(status: number): boolean {
  return status >= 500 || isWithheld(status);
}

/** A server with too much to do, or that lets nobody in, may say so in a JSON-RPC error. Under any other status one is an answer. */
function isWithheld(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status === 503;
}

/** D.3/8: all that a browser shows of a preflight which an old server refused. Elsewhere a failed fetch has a cause. */
function isOpaque({ reason, cause }: TransportError): boolean {
  return reason === "lost" && cause instanceof TypeError && cause.cause === undefined;
}

/** What `initialize` answered to a POST when it failed: true means that the 2024-11-05 transport may be there (D.3/6). */
export function mayBeSse(error: unknown): boolean {
  return isTransportError(error) && error.reason === "status" && [400, 404, 405].includes(error.status ?? 0);
}

/** D.2 steps 3 to 7. On stdio an exit, silence and garbage all point to an old server. */
export function decideStdio(server: string, outcome: ProbeOutcome): Decision {
  if ("result" in outcome) return decideResult(server, outcome.result);
  const { error } = outcome;
  const known = decideKnownError(server, error);
  if (known) return known;
  if (isMcpError(error)) return { kind: "legacy", because: `server/discover was answered by error ${error.code}` };
  if (isTransportError(error) && ["timeout", "lost", "invalid"].includes(error.reason)) {
    return { kind: "legacy", because: error.message };
  }
  return { kind: "failed", error };
}

function decideResult(server: string, answered: Result): Decision {
  // A-7, I-8: servers of drafts name no result type.
  const result: Result = answered.resultType === undefined ? { ...answered, resultType: "complete" } : answered;
  if (!isDiscoverResult(result)) return { kind: "legacy", because: "server/discover was answered by something else" };
  const supportedVersions = result.supportedVersions.filter((version) => typeof version === "string");
  const revision = selectModern(supportedVersions);
  if (revision !== undefined) return { kind: "modern", revision, server: { ...result, supportedVersions } };
  return decideOffer(server, supportedVersions);
}

/** What every modern server would say, whatever carries it. */
function decideKnownError(server: string, error: unknown): Decision | undefined {
  const offered = offeredVersionsOf(error);
  if (offered && offered.length > 0) {
    // The request was repeated with the version offered (J-22); a second refusal is final.
    return selectModern(offered) === undefined ? decideOffer(server, offered) : { kind: "failed", error };
  }
  return isMcpError(error) && modernCodes.has(fromDraftError(error).code) ? { kind: "failed", error } : undefined;
}

/** D-2: `initialize` is in order when the server itself names only legacy revisions that we share. */
function decideOffer(server: string, offered: readonly string[]): Decision {
  if (selectLegacy(offered) !== undefined) {
    return { kind: "legacy", because: `the server offers ${listOf(offered)}` };
  }
  const ours = [...modernRevisions, ...legacyRevisions].join(", ");
  const message = `${server} offers no revision that this client speaks: ${listOf(offered) || "none"}; ours are ${ours}`;
  return { kind: "failed", error: new McpError(errorCode.unsupportedProtocolVersion, message) };
}

/** For an error message, which must not be as long as what a server may send. */
function listOf(offered: readonly string[]): string {
  const shown = offered.slice(0, shownVersions).map((version) => version.slice(0, shownCharacters));
  return (offered.length > shownVersions ? [...shown, "…"] : shown).join(", ");
}

/** What a client that wants no legacy server says at a legacy decision (D.2/7). */
export function refuseLegacy(server: string, because: string): TransportError {
  const message = `${server} does not speak the modern era (2026-07-28), and this client may use no other (era: "modern")`;
  return new TransportError("invalid", `${message}: ${because}`);
}
