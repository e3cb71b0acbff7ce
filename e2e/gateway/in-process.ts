// A gateway in this process, over HTTP, in front of real server processes; callers identify themselves by a key.
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Dispatch } from "@lethe/protocol";
import { createKeyAuthenticator } from "@lethe/server/auth";
import { createLegacyEdge, type LegacyEdge } from "@lethe/server/edge";
import { type Serving, serve } from "@lethe/server/node";
import { createKeyRing } from "@lethe/server/stores";
import {
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayOptions,
  type UpstreamConfig,
  type UpstreamEvent,
} from "lethe/gateway";

export interface RunningGateway {
  readonly url: string;
  readonly gateway: Gateway;
  readonly events: UpstreamEvent[];
  readonly problems: string[];
  /** The stderr of each upstream. */
  readonly stderr: Map<string, string[]>;
  /** `path` follows that of the merged endpoint. */
  connect(options?: ConnectOptions, caller?: string, path?: string): Promise<Client>;
  /** The Authorization header of a caller. */
  authorizationOf(caller: string): string;
  close(): Promise<void>;
}

export interface GatewayPlan extends GatewayOptions, GatewayConfig {
  /** Names of callers. Absent: callers are anonymous. */
  readonly callers?: readonly string[];
  /** False: does not wait for the first start of every upstream. */
  readonly isAwaited?: boolean;
}

export async function runGateway({
  upstreams,
  settings = {},
  callers,
  isAwaited = true,
  ...options
}: GatewayPlan): Promise<RunningGateway> {
  const events: UpstreamEvent[] = [];
  const problems: string[] = [];
  const stderr = new Map<string, string[]>();
  const gateway = createGateway(
    { upstreams, settings },
    {
      onEvent: (event) => events.push(event),
      onProblem: (problem) => problems.push(problem),
      onStderr(upstream, line) {
        const lines = stderr.get(upstream) ?? [];
        stderr.set(upstream, lines);
        lines.push(line);
      },
      ...options,
    },
  );
  const ring = createKeyRing();
  const edges = new Map<string, LegacyEdge | undefined>();
  const legacyAt = (path: string, dispatch: Dispatch): LegacyEdge | undefined => {
    if (!edges.has(path))
      edges.set(path, createLegacyEdge({ dispatch, info: { name: "gateway", version: "1" }, ring }));
    return edges.get(path);
  };
  const authenticator = callers && createKeyAuthenticator(callers.map((id) => ({ id, key: toKey(id) })));
  const serving: Serving = await serve(
    (path) => {
      const servable = gateway.servableAt(path);
      return servable && { ...servable, authenticator, legacy: legacyAt(path, servable.dispatch) };
    },
    { port: 0 },
  );
  if (isAwaited) await gateway.settled;
  const url = `${serving.url}/mcp`;
  return {
    url,
    gateway,
    events,
    problems,
    stderr,
    connect: (more = {}, caller, path = "") =>
      connect(`${url}${path}`, {
        ...more,
        ...(caller !== undefined && { headers: { authorization: `Bearer ${toKey(caller)}` } }),
      }),
    authorizationOf: (caller) => `Bearer ${toKey(caller)}`,
    async close() {
      await serving.close({ graceMs: 0 });
      await gateway.close();
    },
  };
}

function toKey(caller: string): string {
  return `key-of-${caller}`.padEnd(24, "-");
}

export function stdioUpstream(
  name: string,
  args: readonly string[],
  more: Partial<Extract<UpstreamConfig, { kind: "stdio" }>> = {},
): UpstreamConfig {
  return { kind: "stdio", name, command: process.execPath, args: [...args], env: {}, ...more };
}
