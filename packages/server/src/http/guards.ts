// Checks `Host` against DNS rebinding, and `Origin` against foreign web pages (B-2, B-3). Compares complete parsed names, never
// prefixes.
import type { HttpSettings } from "./http-options.ts";

/** Returns why the `Host` or `Origin` of a request is not allowed, or undefined if both are. */
export type Guard = (host: string | undefined, origin: string | undefined) => string | undefined;

export interface ParsedHost {
  /** Lower case; an IPv6 address keeps its brackets. */
  name: string;
  port: string;
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const originPattern = /^(https?):\/\/(.+)$/;

/** Parses a `Host` header. Returns undefined if it is invalid. */
export function parseHost(value: string): ParsedHost | undefined {
  const match = hostPattern.exec(value.toLowerCase());
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] ?? "" };
}

export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "127.0.0.1" || name === "[::1]";
}

/** Creates the guard for one kind of connection. Without `allowedHosts`, a loopback connection must name a loopback host. */
export function createGuard(settings: HttpSettings, isLoopbackConnection: boolean): Guard {
  const isHostAllowed = createHostCheck(settings.allowedHosts, isLoopbackConnection);
  const isHostChecked = settings.allowedHosts === undefined ? isLoopbackConnection : settings.allowedHosts !== "any";
  const origins = settings.allowedOrigins === "any" ? undefined : new Set(settings.allowedOrigins.map(toLowerCase));
  /** The last host that passed. Most requests to a server name the same host. */
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
 * True for a page of the same host, and for a loopback page that calls a loopback server. If `Host` is not checked, the page must
 * use HTTPS: over plain HTTP it could have rebound any name to this address, over HTTPS the certificate prevents that.
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
