// Converts errors of undici's connections to the codes of node:http, which callers compare.

/** Undici refuses such a request itself, before it opens a connection. */
const invalid: ReadonlySet<string> = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);
const closed: ReadonlySet<string> = new Set(["closed", "other side closed", "read ECONNRESET"]);

/** A connection that ended during its request has the code ECONNRESET. Other errors are returned as they are. */
export function toNodeError(error: unknown): unknown {
  const { name, code, message } = (error ?? {}) as { name?: unknown; code?: unknown; message?: unknown };
  if (code === "ERR_ASSERTION" || (code === "UND_ERR_SOCKET" && closed.has(String(message)))) {
    return reset("socket hang up");
  }
  const isOfUndici = typeof code === "string" && code.startsWith("UND_ERR_") && !invalid.has(code);
  // Without the bytes that undici could not parse, which this error refers to.
  return isOfUndici || name === "HTTPParserError" ? reset(String(message)) : error;
}

function reset(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
