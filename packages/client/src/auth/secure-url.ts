// The URLs that authorization may use (G-43, G-50): https, or http to a loopback address.
import { excerptOf } from "../call/transport-error.ts";
import { AuthorizationError } from "./authorization-error.ts";

/** `what` names the URL in the error, such as "the token endpoint". Throws AuthorizationError "insecure_url". */
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

/** True for loopback and private addresses, judged by the URL alone. No public server uses a bare IPv6 address. */
export function isLocalName(url: URL): boolean {
  return isLoopback(url) || url.hostname.startsWith("[") || localAddress.test(url.hostname);
}

const localAddress =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/;

function refuse(what: string, expected: string, text: string): AuthorizationError {
  // The query may contain a secret.
  const shown = excerptOf(text.replace(/[?#].*$/s, ""));
  return new AuthorizationError("insecure_url", `${what} must be ${expected}, got ${shown}`);
}
