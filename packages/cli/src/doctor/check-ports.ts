// Whether the ports of a gateway are free, or in use by a gateway.
import type { GatewaySettings } from "@lethe/gateway";
import { findPortConflict, findPortProblem, type PortProblem } from "@lethe/gateway/ports";
import { formatHostAndPort } from "@lethe/server/stores";
import { type GatewayPort, portsOf } from "../gateway-command/gateway-ports.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const requestTimeoutMs = 2_000;

export function checkPorts(settings: GatewaySettings): Promise<Finding[]> {
  const conflict = findPortConflict(settings);
  if (conflict !== undefined) return Promise.resolve([toConflict(conflict)]);
  return Promise.all(portsOf(settings).map((place) => (place.isHttp ? checkHttpPort(place) : checkDirectPort(place))));
}

function toConflict(conflict: string): Finding {
  return problem("ports", conflict, {
    cause: "a gateway listens on each of its ports once, and does not start",
    remedy: "give one of them another port",
  });
}

async function checkHttpPort(place: GatewayPort): Promise<Finding> {
  const { host, port } = place;
  const found = await findPortProblem(port, host);
  if (found === undefined) return toFree(place);
  const readiness = await readReadiness(port, host);
  if (readiness === undefined) return toProblem(place, found);
  return warning("ports", `a gateway listens on port ${port} of ${host}: ${readiness}`, {
    cause: "a second gateway cannot listen there",
    remedy: `none, if it is the gateway of this configuration; otherwise stop it, or set ${place.setting}`,
  });
}

/** A gateway logs each connection to this port that does not come from a replica, so none is made to see what listens there. */
async function checkDirectPort(place: GatewayPort): Promise<Finding> {
  const found = await findPortProblem(place.port, place.host);
  if (found === undefined) return toFree(place);
  if (!found.isInUse) return toProblem(place, found);
  return warning("ports", found.text, {
    cause: "a gateway or another process listens there",
    remedy: `none, if it is the gateway of this configuration; otherwise ${toRemedy(place)}`,
  });
}

function toFree({ host, port }: GatewayPort): Finding {
  return ok("ports", `port ${port} of ${host} is free`);
}

function toProblem(place: GatewayPort, { text }: PortProblem): Finding {
  return problem("ports", text, {
    cause: "another process listens there, or this account may not",
    remedy: toRemedy(place),
  });
}

function toRemedy({ port, setting }: GatewayPort): string {
  return `stop that process (ss -ltnp 'sport = :${port}' names it), or set ${setting}`;
}

/** Undefined if no gateway answers. */
async function readReadiness(port: number, host: string): Promise<string | undefined> {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const origin = `http://${formatHostAndPort({ host: reachable, port })}`;
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
