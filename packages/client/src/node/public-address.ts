// Classifies addresses as public or as belonging to this machine or network (RFC 6890). Reserved ones are neither.
import { BlockList, isIPv6 } from "node:net";

const reserved = toBlockList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Azure offers its platform services to virtual machines at this address.
  "168.63.129.16/32",
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
  // Teredo (2001::/32) and 6to4 (2002::/16) embed an IPv4 address of the sender's choice.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);

/** IANA has allocated no other part of IPv6 to the internet. */
const globalUnicast = toBlockList(["2000::/3"]);

const privateUse = toBlockList([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]);

// G-51.
/** True for an address that a URL from a public server may lead to. */
export function isPublicAddress(address: string): boolean {
  // Networks with NAT64 (RFC 6052) reach all of IPv4 through this prefix.
  const translated = embeddedAddressOf(address, "100:65435:0:0:0:0");
  if (translated !== undefined || !isIPv6(address)) return !isIn(reserved, translated ?? address);
  return isIn(globalUnicast, address) && !isIn(reserved, address);
}

/** True for an address that only servers of this machine or network can have. Not every other address is public: 6to4 is not. */
export function isPrivateAddress(address: string): boolean {
  const mapped = embeddedAddressOf(address, "0:0:0:0:0:65535");
  return isIn(privateUse, mapped ?? address.replace(/%.*$/, ""));
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The IPv4 address in the last 32 bits, if the six numbers before them are `prefix`. */
function embeddedAddressOf(address: string, prefix: string): string | undefined {
  if (!isIPv6(address) || !URL.canParse(`http://[${address}]`)) return undefined;
  const groups = toGroups(new URL(`http://[${address}]`).hostname.slice(1, -1));
  if (groups.slice(0, 6).join(":") !== prefix) return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** The eight numbers of an address in the form that URLs have: hexadecimal, with at most one `::`. */
function toGroups(address: string): number[] {
  const [head = [], tail = []] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, prefix] = range.split("/") as [string, string];
    list.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}
