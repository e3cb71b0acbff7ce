// An address as replicas publish it: "host:port".

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const maxAddressLength = 300;

/** Returns undefined for anything but a host and a port. */
export function parseHostAndPort(address: string): HostAndPort | undefined {
  if (address.length > maxAddressLength || !URL.canParse(`http://${address}`)) return undefined;
  const { host, hostname, port } = new URL(`http://${address}`);
  // A URL omits port 80.
  if (port === "" ? address !== `${host}:80` : address.toLowerCase() !== host) return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}

/** Where others reach a listener. One on all addresses is reachable at `localHost`, unless a network translates addresses. */
export function toReachableAddress({ host, port }: HostAndPort, localHost: string | undefined): string | undefined {
  const isWildcard = host === "0.0.0.0" || host === "::" || host === "[::]";
  const reachable = isWildcard ? localHost?.replace(/^::ffff:/, "") : host.replace(/^\[|\]$/g, "");
  if (reachable === undefined) return undefined;
  return `${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
