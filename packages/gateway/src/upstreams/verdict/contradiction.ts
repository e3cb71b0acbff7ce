// What does not fit the verdict on an upstream: reason enough to find out anew, and never proof of anything.
import { type Connection, isTransportError } from "@lethe/client";
import { type Era, errorCode, isMcpError } from "@lethe/protocol";
import type { Verdict } from "./verdict.ts";

/** In words; undefined when a new connection is as it should be. */
export function doubtOfConnection(verdict: Verdict, { era, revision, isStateful }: Connection): string | undefined {
  if (era !== verdict.era) return `a new connection speaks ${revision}`;
  const { beginsSession = isStateful } = verdict;
  if (beginsSession === isStateful || beginsSession === (isStateful ?? false)) return undefined;
  return isStateful ? "a new connection began a session" : "a new connection began no session";
}

/** Codes under which servers of every kind say that a session, or the handshake before it, is missing. */
const sessionCodes: ReadonlySet<number> = new Set([-32_600, -32_000, -32_001]);
const refusals: ReadonlySet<number> = new Set([400, 404, 405, 410]);

export interface Doubted {
  readonly era: Era;
  /** The request belonged to a session: that one is missing is not what it was refused for. */
  readonly isStateful?: boolean;
}

/** In words; undefined when an error says nothing of what the upstream is. */
export function doubtOfError(error: unknown, { isStateful = false }: Doubted): string | undefined {
  if (isMcpError(error)) {
    // A legacy connection keeps to itself what the server really said.
    const { code } = isMcpError(error.cause) ? error.cause : error;
    if (code === errorCode.unsupportedProtocolVersion) return "it refuses the revision that it spoke";
    return sessionCodes.has(code) && !isStateful ? `it refused a request without a session (${code})` : undefined;
  }
  if (!isTransportError(error)) return undefined;
  const { reason, status = 0 } = error;
  if (reason === "status" && refusals.has(status)) return `it refused a request (${status})`;
  return reason === "invalid" ? "it answered something that is no answer" : undefined;
}
