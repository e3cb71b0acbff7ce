// The address that a replica publishes for a listener: "host:port".
import { formatHostAndPort, type HostAndPort } from "@lethe/server/stores";

export { type HostAndPort, parseHostAndPort } from "@lethe/server/stores";

/**
 * Where others reach a listener. One on all addresses is reachable at `localHost`, unless a network translates addresses. Undefined
 * when that is unknown, or is an IPv6 address and the listener is on all IPv4 addresses.
 */
export function toReachableAddress({ host, port }: HostAndPort, localHost: string | undefined): string | undefined {
  const local = localHost?.replace(/^::ffff:/, "");
  if (host === "0.0.0.0" && local?.includes(":")) return undefined;
  const isWildcard = host === "0.0.0.0" || host === "::" || host === "[::]";
  const reachable = isWildcard ? local : host.replace(/^\[|\]$/g, "");
  return reachable === undefined ? undefined : formatHostAndPort({ host: reachable, port });
}
