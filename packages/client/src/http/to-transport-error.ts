// Converts every platform error of a failed request to a TransportError.
import { isTransportError, TransportError } from "../call/transport-error.ts";

// Error codes of Node and undici for a connection that was never established: the server cannot have seen the request.
const unconnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** `what` names the request: "tools/call to http://127.0.0.1:3000/mcp". */
export function toTransportError(what: string, thrown: unknown): TransportError {
  if (isTransportError(thrown)) {
    // The byte limits do not know which request they apply to.
    return thrown.reason === "too_large" ? new TransportError("too_large", `${what}: ${thrown.message}`) : thrown;
  }
  const cause = causeOf(thrown);
  const code = codeOf(cause);
  const words = cause instanceof Error && cause.message !== "" ? cause.message : (code ?? String(cause));
  if (isUnconnected(cause) || code === "EPROTO" || isCertificateCode(code)) {
    return new TransportError("unreachable", `${what}: the server cannot be reached: ${words}`, { cause: thrown });
  }
  return new TransportError("lost", `${what}: the connection broke: ${words}`, { cause: thrown });
}

/**
 * Whether the request of this error was certainly not sent, so that it may be sent again. False where this is unknown.
 *
 * @example
 * import { TransportError } from "@lethe/client";
 * import { isUnsent } from "@lethe/client/edge";
 *
 * console.log(isUnsent(new TransportError("lost", "the connection broke"))); // false
 */
export function isUnsent({ reason, cause }: TransportError): boolean {
  if (reason === "busy" || reason === "lost_track") return true;
  return reason === "unreachable" && isUnconnected(causeOf(cause));
}

/** The same codes on an established connection, by a read or a write, say nothing about the request. */
function isUnconnected(cause: unknown): boolean {
  const { syscall } = (cause ?? {}) as { syscall?: unknown };
  return unconnected.has(codeOf(cause) ?? "") && syscall !== "read" && syscall !== "write";
}

// fetch hides the failure in the cause of a TypeError, and a failed dual-stack connect in an AggregateError.
function causeOf(thrown: unknown): unknown {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return causeOf(thrown.errors[0]);
  if (thrown instanceof Error && thrown.cause instanceof Error) return causeOf(thrown.cause);
  return thrown;
}

function codeOf(cause: unknown): string | undefined {
  const code: unknown = (cause as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function isCertificateCode(code: string | undefined): boolean {
  return code !== undefined && /CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO_/.test(code);
}
