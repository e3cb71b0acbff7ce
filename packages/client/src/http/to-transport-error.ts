// Converts every platform error of a failed request to a TransportError.
import { isTransportError, TransportError } from "../call/transport-error.ts";

// Error codes of Node and undici for a connection that was never established: the server cannot have seen the request.
const unreachable: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
  "EPROTO",
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
  if (unreachable.has(code ?? "") || isCertificateCode(code)) {
    return new TransportError("unreachable", `${what}: the server cannot be reached: ${words}`, { cause: thrown });
  }
  return new TransportError("lost", `${what}: the connection broke: ${words}`, { cause: thrown });
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
