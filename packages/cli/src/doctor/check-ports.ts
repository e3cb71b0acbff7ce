// Whether the ports of a gateway are free, or in use by a gateway.
import type { GatewaySettings } from "@lethe/gateway";
import { findPortProblem, splitAddress } from "@lethe/gateway/ports";
import { type Finding, ok, problem, warning } from "./finding.ts";

const requestTimeoutMs = 2_000;

export async function checkPorts(settings: GatewaySettings): Promise<Finding[]> {
  const { host = "127.0.0.1", port = 3_000, admin, redis } = settings;
  const places = [{ host, port, setting: "gateway.port" }];
  if (admin?.port !== undefined) {
    places.push({ host: admin.host ?? "127.0.0.1", port: admin.port, setting: "gateway.admin.port" });
  }
  if (redis?.direct) places.push({ ...splitAddress(redis.direct.listen), setting: "gateway.redis.direct.listen" });
  return Promise.all(places.map(checkPort));
}

async function checkPort({ host, port, setting }: { host: string; port: number; setting: string }): Promise<Finding> {
  const busy = await findPortProblem(port, host);
  if (busy === undefined) return ok("ports", `port ${port} of ${host} is free`);
  const readiness = await readReadiness(port, host);
  if (readiness !== undefined) {
    return warning("ports", `a gateway listens on port ${port} of ${host}: ${readiness}`, {
      cause: "a second gateway cannot listen there",
      remedy: `none, if it is the gateway of this configuration; otherwise stop it, or set ${setting}`,
    });
  }
  return problem("ports", busy, {
    cause: "another process listens there, or this account may not",
    remedy: `stop that process (ss -ltnp 'sport = :${port}' names it), or set ${setting}`,
  });
}

/** Undefined if no gateway answers. */
async function readReadiness(port: number, host: string): Promise<string | undefined> {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const origin = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  const read = async (path: string) => {
    const response = await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(requestTimeoutMs) });
    return (await response.text()).slice(0, 200).trim();
  };
  try {
    return (await read("/healthz")) === "ok" ? await read("/readyz") : undefined;
  } catch {
    return undefined;
  }
}
