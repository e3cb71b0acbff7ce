// Detects contradictions to a verdict. A contradiction is a reason to probe again, never a proof.
import { type Connection, isTransportError } from "@lethe/client";
import { type Era, errorCode, isMcpError } from "@lethe/protocol";
import type { Verdict } from "./verdict.ts";

/** Returns a description, or undefined if the connection fits the verdict. */
export function doubtOfConnection(verdict: Verdict, { era, revision, isStateful }: Connection): string | undefined {
  if (era !== verdict.era) return `a new connection speaks ${revision}`;
  const { beginsSession = isStateful } = verdict;
  if (beginsSession === isStateful || beginsSession === (isStateful ?? false)) return undefined;
  return isStateful ? "a new connection began a session" : "a new connection began no session";
}

/** Error codes by which servers say that a session or a handshake is missing. */
const sessionCodes: ReadonlySet<number> = new Set([-32_600, -32_000, -32_001]);
const refusals: ReadonlySet<number> = new Set([400, 404, 405, 410]);

export interface Doubted {
  readonly era: Era;
  /** Whether the request belonged to a session. Then a missing session is not the reason for the error. */
  readonly isStateful?: boolean;
}

/** Returns a description, or undefined if the error says nothing about the verdict. */
export function doubtOfError(error: unknown, { isStateful = false }: Doubted): string | undefined {
  if (isMcpError(error)) {
    // A legacy connection keeps the server's original error as the cause.
    const { code } = isMcpError(error.cause) ? error.cause : error;
    if (code === errorCode.unsupportedProtocolVersion) return "it refuses the revision that it spoke";
    return sessionCodes.has(code) && !isStateful ? `it refused a request without a session (${code})` : undefined;
  }
  if (!isTransportError(error)) return undefined;
  const { reason, status = 0 } = error;
  if (reason === "status" && refusals.has(status)) return `it refused a request (${status})`;
  return reason === "invalid" ? "it answered something that is no answer" : undefined;
}
