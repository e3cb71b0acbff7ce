// What the workloads of workers and of replicas have in common: a gateway that several callers share, its upstream server, and their requests.
import { fileURLToPath } from "node:url";
import { callerKey, gatewayServer } from "../gateways.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type HttpChild, startHttpChild } from "../measure/child.ts";

/** In all. A process with fewer than 32 reads fewer requests in a turn of its event loop, and needs more CPU for each. */
export const connections = 64;
export const callers = 8;
/** Requests after which a process counts as warm. */
export const warmCount = 4_000;

const serverProgram = fileURLToPath(new URL("../server.js", import.meta.url));

/** Starts the upstream server over HTTP. */
export function startUpstream(): Promise<HttpChild> {
  return startHttpChild([process.execPath, serverProgram], { TOOLS: "1" });
}

/** Without a server over HTTP, the gateway runs one on stdio. `upstream` and `gateway` are further settings of each. */
export function toConfig(server: HttpChild | undefined, upstream: object = {}, gateway: object = {}): object {
  const [command = "", ...args] = gatewayServer;
  const keys = Array.from({ length: callers }, (_, index) => ({ id: `caller-${index}`, key: callerKey(index) }));
  return {
    mcpServers: {
      up: server ? { url: `http://127.0.0.1:${server.port}/mcp` } : { command, args, env: { TOOLS: "1" } },
    },
    gateway: { auth: { keys }, upstreams: { up: { prefix: "", ...upstream } }, ...gateway },
  };
}

/** The headers of each caller. */
export function callerHeaders(): string[][] {
  return Array.from({ length: callers }, (_, index) => [`Authorization: Bearer ${callerKey(index)}`]);
}

/** Calls of all callers in turn, each with another id. */
export function toRequests(headers: readonly string[][]): Buffer[] {
  return Array.from({ length: callers * rotation }, (_, index) =>
    toHttpRequest("modern", greetCall("modern", index + 1), headers[index % callers]),
  );
}
