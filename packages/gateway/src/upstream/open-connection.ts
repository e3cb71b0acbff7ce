// Opens a connection to one upstream, by the way that its configuration names.
import { type Connection, connectLegacy } from "@lethe/client";
import { connect, createStdioWire, spawnServer } from "@lethe/client/node";
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

async function openStdio(upstream: StdioUpstream, { signal, onStderr }: OpenOptions): Promise<Connection> {
  const { name, command, args, env, cwd } = upstream;
  const target = { command, args, env, ...(cwd !== undefined && { cwd }) };
  const server = await spawnServer(target, onStderr && { onStderr: (line) => onStderr(name, line) });
  const wire = createStdioWire(server);
  const stop = () => void wire.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await connectLegacy(wire, { clientInfo: gatewayInfo, capabilities: relayedCapabilities });
  } catch (error) {
    await wire.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
