// Which HTTP proxy a request goes through, by the environment variables that curl reads, too: HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
import { BlockList, isIP } from "node:net";

/** A proxy that opens connections to servers for this program. */
export interface ForwardProxy {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, without credentials. */
  readonly origin: string;
  /** The header Proxy-Authorization. */
  readonly authorization: string | undefined;
}

/** Returns undefined for a URL that is requested directly. Throws TypeError if the variable for it does not contain an http URL. */
export type FindForwardProxy = (url: URL) => ForwardProxy | undefined;

/** The headers of a request to the proxy about a server. `host` is that of the server, with its port. */
export function toProxyHeaders({ authorization }: ForwardProxy, host: string): Record<string, string> {
  return { host, ...(authorization !== undefined && { "proxy-authorization": authorization }) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Lowercase names win, as in curl. This machine itself is never behind a proxy. */
export function forwardProxiesOf(environment: Environment): FindForwardProxy {
  const found = new Map<string, ForwardProxy | undefined>();
  const isException = createExceptions(variableOf(environment, "NO_PROXY")?.text ?? "");

  function proxyFor(name: "HTTPS_PROXY" | "HTTP_PROXY"): ForwardProxy | undefined {
    if (!found.has(name)) {
      const value = variableOf(environment, name);
      found.set(name, value && parseProxy(value.name, value.text));
    }
    return found.get(name);
  }

  return (url) => {
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const isSecure = url.protocol === "https:";
    const port = url.port === "" ? (isSecure ? "443" : "80") : url.port;
    if (isThisMachine(hostname) || isException(hostname, port)) return undefined;
    return proxyFor(isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  };
}

function variableOf(
  environment: Environment,
  name: string,
): { readonly name: string; readonly text: string } | undefined {
  for (const each of [name.toLowerCase(), name]) {
    const text = environment[each]?.trim();
    if (text) return { name: each, text };
  }
  return undefined;
}

function parseProxy(name: string, text: string): ForwardProxy {
  const href = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  // Without the value, which may contain a password.
  const expected = `${name}: an http URL such as http://proxy.example.com:3128 expected`;
  if (!URL.canParse(href)) throw new TypeError(`${expected}, got a value that is not a URL`);
  const { protocol, hostname, port, origin, username, password } = new URL(href);
  if (protocol !== "http:") throw new TypeError(`${expected}, got a URL with ${protocol}//`);
  const authorization = username === "" && password === "" ? undefined : toBasic(username, password);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), origin, authorization };
}

function toBasic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64")}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isThisMachine(hostname: string): boolean {
  const name = hostname.toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || contains(loopback, name);
}

function contains(addresses: BlockList, hostname: string): boolean {
  const version = isIP(hostname);
  return version !== 0 && addresses.check(hostname, version === 4 ? "ipv4" : "ipv6");
}

/**
 * An entry of NO_PROXY is a host, which stands for its subdomains as well, an address, a range such as 10.0.0.0/8, or `*` for all hosts.
 * A host or address may have a port.
 */
function createExceptions(text: string): (hostname: string, port: string) => boolean {
  const addresses = new BlockList();
  const hosts = new Set<string>();
  for (const entry of text.toLowerCase().split(/[\s,]+/)) {
    if (!addAddress(addresses, entry)) hosts.add(entry.replace(/^\*?\./, "").replace(/[[\]]/g, ""));
  }
  return (hostname, port) => {
    if (hosts.has("*") || contains(addresses, hostname)) return true;
    const suffixes = isIP(hostname) === 0 ? suffixesOf(hostname.toLowerCase()) : [hostname];
    return suffixes.some((suffix) => hosts.has(suffix) || hosts.has(`${suffix}:${port}`));
  };
}

/** Returns whether the entry is an address or a range. */
function addAddress(addresses: BlockList, entry: string): boolean {
  if (/^\[.*\]:\d+$/.test(entry)) return false;
  const [address = "", bits] = entry.replace(/[[\]]/g, "").split("/");
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const most = version === 4 ? 32 : 128;
  if (bits === undefined) addresses.addAddress(address, family);
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= most) addresses.addSubnet(address, Number(bits), family);
  return true;
}

/** "a.b.c" gives "a.b.c", "b.c" and "c". */
function suffixesOf(hostname: string): string[] {
  const labels = hostname.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}
