// Opens a connection to one upstream, by the way that its configuration names. Its era is found out on the way.
import type { Connection } from "@lethe/client";
import { connect, connectStdio } from "@lethe/client/node";
import type { HttpUpstream, StdioUpstream, UpstreamConfig } from "../config/upstream-config.ts";
import { gatewayInfo, relayedCapabilities } from "./own-request.ts";

export interface OpenOptions {
  /** Ends the opening; an open connection is not concerned. */
  signal: AbortSignal;
  onStderr?(upstream: string, line: string): void;
}

export function openConnection(upstream: UpstreamConfig, options: OpenOptions): Promise<Connection> {
  return upstream.kind === "http" ? openHttp(upstream, options) : openStdio(upstream, options);
}

async function openHttp({ url, headers }: HttpUpstream, { signal }: OpenOptions): Promise<Connection> {
  const client = await connect(url, { headers, signal, info: gatewayInfo, capabilities: relayedCapabilities });
  return client.connection;
}

function openStdio(upstream: StdioUpstream, { signal, onStderr }: OpenOptions): Promise<Connection> {
  const { name, command, args, env, cwd } = upstream;
  return connectStdio(
    { command, args, env, ...(cwd !== undefined && { cwd }) },
    {
      signal,
      clientInfo: gatewayInfo,
      capabilities: relayedCapabilities,
      ...(onStderr && { onStderr: (line) => onStderr(name, line) }),
    },
  );
}
