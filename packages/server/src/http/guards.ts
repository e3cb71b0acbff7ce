// Who may call at all (B-2, B-3): `Host` against DNS rebinding, `Origin` against foreign web pages. Names are parsed and
// compared whole, never by prefix.
import type { HttpSettings } from "./http-options.ts";

/** What is wrong with the `Host` and `Origin` of a request; undefined when nothing is. */
export type Guard = (host: string | undefined, origin: string | undefined) => string | undefined;

export interface ParsedHost {
  /** Lower case; an IPv6 address keeps its brackets. */
  name: string;
  port: string;
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const originPattern = /^(https?):\/\/(.+)$/;

/** The parts of a `Host` header; undefined when it is not one. */
export function parseHost(value: string): ParsedHost | undefined {
  const match = hostPattern.exec(value.toLowerCase());
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] ?? "" };
}

export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "127.0.0.1" || name === "[::1]";
}

/** One guard per kind of connection: a loopback one has to be named as such unless `allowedHosts` says otherwise. */
export function createGuard(settings: HttpSettings, isLoopbackConnection: boolean): Guard {
  const isHostAllowed = createHostCheck(settings.allowedHosts, isLoopbackConnection);
  const isHostChecked = settings.allowedHosts === undefined ? isLoopbackConnection : settings.allowedHosts !== "any";
  const origins = settings.allowedOrigins === "any" ? undefined : new Set(settings.allowedOrigins.map(toLowerCase));
  /** The last host that passed: a server is asked under very few names. */
  let known: string | undefined;

  return (host, origin) => {
    if (host === undefined || host !== known) {
      if (!isHostAllowed(host)) return `host not allowed: ${quote(host ?? "none")}`;
      known = host;
    }
    if (origin === undefined || origins === undefined || origins.has(origin.toLowerCase())) return undefined;
    return isOwnOrigin(origin, host, isHostChecked) ? undefined : `origin not allowed: ${quote(origin)}`;
  };
}

function createHostCheck(
  allowed: HttpSettings["allowedHosts"],
  isLoopbackConnection: boolean,
): (host: string | undefined) => boolean {
  if (allowed === "any" || (allowed === undefined && !isLoopbackConnection)) return () => true;
  const listed = allowed && new Set(allowed.map(toLowerCase));
  return (host) => {
    const parsed = host === undefined ? undefined : parseHost(host);
    if (!parsed) return false;
    if (!listed) return isLoopbackName(parsed.name);
    return listed.has(parsed.name) || listed.has(`${parsed.name}:${parsed.port}`);
  };
}

/**
 * A page of the same host may call, and any loopback page a loopback server. A name that nobody vouches for proves
 * nothing over plain HTTP, because a page may have rebound it to this address; over HTTPS the certificate does.
 */
function isOwnOrigin(origin: string, host: string | undefined, isHostChecked: boolean): boolean {
  const match = originPattern.exec(origin.toLowerCase());
  const page = parseHost(match?.[2] ?? "");
  const asked = parseHost(host ?? "");
  if (!page || !asked) return false;
  if (isLoopbackName(asked.name)) return isLoopbackName(page.name);
  return page.name === asked.name && page.port === asked.port && (isHostChecked || match?.[1] === "https");
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
