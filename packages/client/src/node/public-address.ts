// Which addresses belong to the public internet (RFC 6890): everything else may be a neighbour's secret (G-51).
import { BlockList, isIPv6 } from "node:net";

const reserved = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // These carry an IPv4 address inside, or are not routed at all.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]) {
  const [address, prefix] = range.split("/") as [string, string];
  reserved.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
}

/** IPv6 has handed out nothing else so far. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !reserved.check(address, "ipv4");
  return globalUnicast.check(address, "ipv6") && !reserved.check(address, "ipv6");
}
