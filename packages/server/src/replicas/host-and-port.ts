// An address as replicas listen on it and publish it: "host:port".

/** The parts of "host:port". */
export interface HostAndPort {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** 0 to 65,535. */
  readonly port: number;
}

const maxAddressLength = 300;

const form = /^([\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):(0|[1-9]\d{0,4})$/;

/**
 * Returns undefined for anything but a host and a port.
 *
 * @example
 * import { parseHostAndPort } from "@lethe/server/stores";
 *
 * console.log(parseHostAndPort("[fd00::5]:7411")); // { host: 'fd00::5', port: 7411 }
 * console.log(parseHostAndPort("10.0.0.5")); // undefined
 */
export function parseHostAndPort(address: string): HostAndPort | undefined {
  if (address.length > maxAddressLength) return undefined;
  const [, given = "", digits] = form.exec(address) ?? [];
  const port = Number(digits);
  if (!(port <= 65_535) || !URL.canParse(`http://${given}`)) return undefined;
  const { hostname } = new URL(`http://${given}`);
  if (given.startsWith("[")) return { host: hostname.slice(1, -1), port };
  // A URL reads 010.0.0.1 as 8.0.0.1.
  return hostname === given.toLowerCase() ? { host: hostname, port } : undefined;
}

/**
 * The opposite of `parseHostAndPort`: an IPv6 address gets brackets, as in a URL.
 *
 * @example
 * import { formatHostAndPort } from "@lethe/server/stores";
 *
 * console.log(formatHostAndPort({ host: "fd00::5", port: 7411 })); // [fd00::5]:7411
 */
export function formatHostAndPort({ host, port }: HostAndPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * Why a text is no "host:port", as the end of a sentence. Undefined if it is one. Only a listener may have port 0, for one that the system
 * chooses.
 *
 * @example
 * import { findAddressProblem } from "@lethe/server/stores";
 *
 * console.log(findAddressProblem("10.0.0.5:7411", 1)); // undefined
 * console.log(findAddressProblem("10.0.0.5:0", 1)?.endsWith('got "10.0.0.5:0"')); // true
 */
export function findAddressProblem(address: string, minPort: 0 | 1): string | undefined {
  const parsed = parseHostAndPort(address);
  if (parsed && parsed.port >= minPort) return undefined;
  const wanted = `host:port with a port from ${minPort} to 65535, such as 10.0.0.5:7411 or [fd00::5]:7411`;
  return `must be ${wanted}, got "${address}"`;
}

/**
 * What is wrong with the addresses in `gateway.redis.direct`, by setting. Each text is the end of a sentence.
 *
 * @example
 * import { findDirectProblems } from "@lethe/server/stores";
 *
 * console.log(findDirectProblems("0.0.0.0:7411", undefined)); // []
 * console.log(findDirectProblems("0.0.0.0:0", "10.0.0.5:7411").map(([setting]) => setting)); // [ 'address' ]
 */
export function findDirectProblems(listen: string, address: string | undefined): [setting: string, text: string][] {
  const problems: [string, string | undefined][] = [["listen", findAddressProblem(listen, 0)]];
  if (address !== undefined) {
    const isChosen = parseHostAndPort(listen)?.port === 0;
    const unknown = `needs a fixed port in gateway.redis.direct.listen, got "${listen}": the system chooses that one`;
    problems.push(["address", findAddressProblem(address, 1) ?? (isChosen ? unknown : undefined)]);
  }
  return problems.filter((problem): problem is [string, string] => problem[1] !== undefined);
}
