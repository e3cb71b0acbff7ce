// A gateway listens on up to three ports, which must differ.
import { formatHostAndPort, parseHostAndPort } from "@lethe/server/stores";
import { defaultAddress } from "./schema/defaults.ts";
import type { GatewaySettings } from "./schema/settings.ts";

interface Listener {
  readonly setting: string;
  /** What listens there. */
  readonly what: string;
  /** The value of the setting. */
  readonly given: string;
  readonly host: string;
  readonly port: number;
}

/** Says which two settings name the same port. Port 0 is never the same. */
export function findPortConflict(settings: GatewaySettings): string | undefined {
  const listeners = listenersOf(settings);
  for (const [index, later] of listeners.entries()) {
    const earlier = listeners.slice(0, index).find((one) => isSamePlace(one, later));
    if (!earlier) continue;
    const place = `${earlier.what}, which listens on ${formatHostAndPort(earlier)}`;
    return `${later.setting} must have another port than ${place}, got ${later.given}`;
  }
  return undefined;
}

function listenersOf({ host, port, admin, redis }: GatewaySettings): Listener[] {
  const main = { host: host ?? defaultAddress.host, port: port ?? defaultAddress.port };
  const listeners = [{ setting: "gateway.port", what: "the gateway", given: `${main.port}`, ...main }];
  if (admin?.port !== undefined) {
    const place = { host: admin.host ?? defaultAddress.host, port: admin.port };
    listeners.push({ setting: "gateway.admin.port", what: "gateway.admin", given: `${admin.port}`, ...place });
  }
  const direct = redis?.direct && parseHostAndPort(redis.direct.listen);
  if (direct) {
    const given = `"${redis.direct?.listen}"`;
    listeners.push({ setting: "gateway.redis.direct.listen", what: "gateway.redis.direct", given, ...direct });
  }
  return listeners;
}

function isSamePlace(one: Listener, other: Listener): boolean {
  if (one.port === 0 || one.port !== other.port) return false;
  return one.host === other.host || includes(one.host, other.host) || includes(other.host, one.host);
}

/** Whether a listener at this address gets the connections to the other one. */
function includes(host: string, other: string): boolean {
  return host === "::" || (host === "0.0.0.0" && !other.includes(":"));
}
