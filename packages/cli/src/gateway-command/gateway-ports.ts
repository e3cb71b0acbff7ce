// The ports on which a gateway would listen, each with the setting that names it.
import type { GatewaySettings } from "@lethe/gateway";
import { parseHostAndPort } from "@lethe/server/stores";

export interface GatewayPort {
  readonly host: string;
  readonly port: number;
  readonly setting: string;
  /** False for direct connections between replicas. */
  readonly isHttp: boolean;
}

export function portsOf({ host = "127.0.0.1", port = 3_000, admin, redis }: GatewaySettings): readonly GatewayPort[] {
  const ports: GatewayPort[] = [{ host, port, setting: "gateway.port", isHttp: true }];
  if (admin?.port !== undefined) {
    const own = { host: admin.host ?? "127.0.0.1", port: admin.port };
    ports.push({ ...own, setting: "gateway.admin.port", isHttp: true });
  }
  const direct = redis?.direct && parseHostAndPort(redis.direct.listen);
  if (direct) ports.push({ ...direct, setting: "gateway.redis.direct.listen", isHttp: false });
  return ports;
}
