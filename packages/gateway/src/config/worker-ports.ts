// The port for direct connections of other replicas: not that of the gateway, and several workers need one each.
import { parseHostAndPort } from "@lethe/server/stores";
import { defaultAddress } from "./schema/defaults.ts";
import type { GatewaySettings } from "./schema/settings.ts";

/** What is wrong with `gateway.redis.direct.listen` for several workers, as the end of a sentence. */
export function findWorkerPortProblem({ redis }: GatewaySettings): string | undefined {
  const listen = redis?.direct?.listen ?? "";
  const { host, port = 0 } = parseHostAndPort(listen) ?? {};
  if (host === undefined || port === 0) return undefined;
  return `must have port 0 beside several workers, each of which needs its own port, got "${listen}"`;
}

/** What is wrong with `gateway.redis.direct.listen` beside the port of the gateway, as the end of a sentence. */
export function findOwnPortProblem({ redis, host, port }: GatewaySettings): string | undefined {
  const listen = redis?.direct?.listen ?? "";
  const direct = parseHostAndPort(listen);
  const own = { host: host ?? defaultAddress.host, port: port ?? defaultAddress.port };
  if (!direct || direct.port === 0 || direct.port !== own.port) return undefined;
  if (direct.host !== own.host && ![direct.host, own.host].some((one) => one === "0.0.0.0" || one === "::"))
    return undefined;
  return `must have another port than the gateway, which listens on ${own.host}:${own.port}, got "${listen}"`;
}
