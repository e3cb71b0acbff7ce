// Which URLs authorization may touch (G-43, G-50): https, or http to this very machine.
import { excerptOf } from "../call/transport-error.ts";
import { AuthorizationError } from "./authorization-error.ts";

/** `what` names it in the error: "the token endpoint". Throws AuthorizationError "insecure_url". */
export function parseSecureUrl(text: string, what: string): URL {
  if (!URL.canParse(text)) throw refuse(what, "an absolute URL", text);
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url))) {
    throw refuse(what, "an https URL", text);
  }
  if (url.username !== "" || url.password !== "") {
    throw new AuthorizationError("insecure_url", `${what} must not hold credentials`);
  }
  return url;
}

export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

function refuse(what: string, expected: string, text: string): AuthorizationError {
  // The query of a URL may hold what must not be logged.
  const shown = excerptOf(text.replace(/[?#].*$/s, ""));
  return new AuthorizationError("insecure_url", `${what} must be ${expected}, got ${shown}`);
}
