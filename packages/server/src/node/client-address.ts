// Determines the client address of a request: the address of its connection, or the one that a trusted proxy forwards.
import { BlockList, isIP } from "node:net";

export interface TrustedProxies {
  /** Returns the nearest address that is not a trusted proxy. `forwarded` is the value of X-Forwarded-For. */
  clientAddress(remoteAddress: string | undefined, forwarded: string | undefined): string | undefined;
}

/** `proxies` are IP addresses or CIDR blocks. Throws a TypeError that names an invalid entry. */
export function createTrustedProxies(proxies: readonly string[]): TrustedProxies {
  const trusted = new BlockList();
  for (const proxy of proxies) addProxy(trusted, proxy);

  return {
    clientAddress(remoteAddress, forwarded) {
      if (forwarded === undefined || remoteAddress === undefined || !isIn(trusted, remoteAddress)) return remoteAddress;
      // Each proxy appends the address of its client, so only the end of the list is trustworthy.
      let nearest = remoteAddress;
      let end = forwarded.length;
      while (end >= 0) {
        const start = forwarded.lastIndexOf(",", end - 1) + 1;
        const address = toAddress(forwarded.slice(start, end));
        if (address === undefined) return nearest;
        nearest = address;
        if (!isIn(trusted, address)) return nearest;
        end = start - 1;
      }
      return nearest;
    },
  };
}

function addProxy(trusted: BlockList, proxy: string): void {
  const [address = "", prefix, ...rest] = proxy.split("/");
  const family = familyOf(address);
  const most = family === "ipv6" ? 128 : 32;
  const bits = prefix === undefined ? most : Number(prefix);
  if (!family || rest.length > 0 || !/^\d+$/.test(prefix ?? "0") || bits > most) {
    throw new TypeError(`trustProxy: expected an IP address or a CIDR block such as 10.0.0.0/8, got "${proxy}"`);
  }
  trusted.addSubnet(address, bits, family);
}

function isIn(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && list.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}

/** Parses an entry, which may have a port, and brackets around an IPv6 address. */
function toAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : bare;
}
