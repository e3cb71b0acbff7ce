// Decides the era of a server from its response to a probe: D.2 for stdio and D.3 for HTTP as pure functions, one branch per step.
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

/** Limits for an error message: the number of offered versions, and the characters of each. */
const shownVersions = 10;
const shownCharacters = 40;

/** The outcome of `server/discover`, sent as the first request. */
export type ProbeOutcome =
  | { readonly result: Result }
  /** McpError or TransportError. `status` is the HTTP status, if there was a response. */
  | { readonly error: unknown; readonly status?: number | undefined };

export type Decision =
  | { readonly kind: "modern"; readonly revision: string; readonly server: DiscoverResult }
  /** Continue with `initialize`. `because` is for logs. */
  | { readonly kind: "legacy"; readonly because: string }
  /** No evidence of an era, or no common revision: report this error. */
  | { readonly kind: "failed"; readonly error: unknown };

// Error codes of modern servers, besides those that reject a version (D.3/4).
const modernCodes: ReadonlySet<number> = new Set([errorCode.headerMismatch, errorCode.missingClientCapability]);

// D.3 steps 3 to 7.
/**
 * Decides the era of a server over HTTP. A server that is busy, denies access or answers slowly, or whose response is no
 * JSON-RPC message, never counts as legacy.
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

// D.3/7, G-9: a proxy or guard in front of the server does not know its era. For responses without a JSON-RPC body.
export function saysNothing(status: number): boolean {
  return status >= 500 || isWithheld(status);
}

// A busy or protected server may say so in a JSON-RPC error, and 502 and 504 come from a load balancer, also with a JSON-RPC error as the body.
// Under any other status, a JSON-RPC error decides the era.
const withheld: ReadonlySet<number> = new Set([401, 403, 429, 502, 503, 504]);

function isWithheld(status: number): boolean {
  return withheld.has(status);
}

// D.3/8: all that a browser shows of a preflight that an old server rejected. Elsewhere a failed fetch has a cause.
function isOpaque({ reason, cause }: TransportError): boolean {
  return reason === "lost" && cause instanceof TypeError && cause.cause === undefined;
}

/** True if a failed `initialize` POST suggests the HTTP+SSE transport of 2024-11-05. */
export function mayBeSse(error: unknown): boolean {
  return isTransportError(error) && error.reason === "status" && [400, 404, 405].includes(error.status ?? 0);
}

// D.2 steps 3 to 7.
/** Decides the era of a server over stdio. An exit, silence and garbage all suggest a legacy server. */
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
  // A-7, I-8: servers of drafts send no result type.
  const result: Result = answered.resultType === undefined ? { ...answered, resultType: "complete" } : answered;
  if (!isDiscoverResult(result)) return { kind: "legacy", because: "server/discover was answered by something else" };
  const supportedVersions = result.supportedVersions.filter((version) => typeof version === "string");
  const revision = selectModern(supportedVersions);
  if (revision !== undefined) return { kind: "modern", revision, server: { ...result, supportedVersions } };
  return decideOffer(server, supportedVersions);
}

// The decisions that hold on every transport.
function decideKnownError(server: string, error: unknown): Decision | undefined {
  const offered = offeredVersionsOf(error);
  if (offered && offered.length > 0) {
    // The request was already repeated with an offered version (J-22). A second rejection is final.
    return selectModern(offered) === undefined ? decideOffer(server, offered) : { kind: "failed", error };
  }
  return isMcpError(error) && modernCodes.has(fromDraftError(error).code) ? { kind: "failed", error } : undefined;
}

// D-2: `initialize` is allowed if the server itself names only legacy revisions that we support.
function decideOffer(server: string, offered: readonly string[]): Decision {
  if (selectLegacy(offered) !== undefined) {
    return { kind: "legacy", because: `the server offers ${listOf(offered)}` };
  }
  const ours = [...modernRevisions, ...legacyRevisions].join(", ");
  const message = `${server} offers no revision that this client speaks: ${listOf(offered) || "none"}; ours are ${ours}`;
  return { kind: "failed", error: new McpError(errorCode.unsupportedProtocolVersion, message) };
}

// For error messages, which must stay short even if the server sends a long list.
function listOf(offered: readonly string[]): string {
  const shown = offered.slice(0, shownVersions).map((version) => version.slice(0, shownCharacters));
  return (offered.length > shownVersions ? [...shown, "…"] : shown).join(", ");
}

// D.2/7: the error of a client that accepts modern servers only.
export function refuseLegacy(server: string, because: string): TransportError {
  const message = `${server} does not speak the modern era (${modernRevisions.join(", ")}), and this client may use no other (era: "modern")`;
  return new TransportError("invalid", `${message}: ${because}`);
}
