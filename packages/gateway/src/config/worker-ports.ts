// The port for direct connections of other replicas, where a gateway has several workers.
import { parseHostAndPort } from "@lethe/server/stores";
import type { GatewaySettings } from "./schema/settings.ts";

/** What is wrong with `gateway.redis.direct.listen` for several workers, as the end of a sentence. */
export function findWorkerPortProblem({ redis }: GatewaySettings): string | undefined {
  const listen = redis?.direct?.listen ?? "";
  const { host, port = 0 } = parseHostAndPort(listen) ?? {};
  if (host === undefined || port === 0) return undefined;
  return `must have port 0 beside several workers, each of which needs its own port, got "${listen}"`;
}
