// The official reference servers, and modern requests to send them.
import { createRequire } from "node:module";
import type { Connection } from "@lethe/client";
import { connectLegacy, type LegacyOptions } from "@lethe/client/edge";
import { createStdioWire, type SpawnTarget, spawnServer } from "@lethe/client/node";
import type { Exchange, JsonObject, JsonRpcNotification, ModernRequest, Result } from "@lethe/protocol";

const resolve = createRequire(import.meta.url).resolve;

export function referenceServer(name: "everything" | "memory" | "filesystem", ...args: string[]): SpawnTarget {
  const main = resolve(`@modelcontextprotocol/server-${name}/package.json`).replace("package.json", "dist/index.js");
  return { command: process.execPath, args: [main, ...args] };
}

const clientInfo = { name: "lethe-e2e", version: "1" };

export async function connectLegacyServer(target: SpawnTarget, options: Partial<LegacyOptions> = {}) {
  const server = await spawnServer(target);
  const connection = await connectLegacy(createStdioWire(server), { clientInfo, ...options });
  return { pid: server.pid, connection, ...callerOf(connection) };
}

export interface AskOptions {
  capabilities?: JsonObject;
  meta?: JsonObject;
  signal?: AbortSignal;
  notify?(notification: JsonRpcNotification): void;
}

function callerOf({ dispatch }: Connection) {
  function ask(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Result> {
    const { capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, meta, signal } = options;
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    const request: ModernRequest = { id: 1, method, params: { ...params, _meta: { ...envelope, ...meta } } };
    const exchange: Exchange = {
      signal: signal ?? new AbortController().signal,
      caller: undefined,
      notify(notification) {
        options.notify?.(notification);
        return true;
      },
      drained: async () => {},
    };
    return dispatch(request, exchange);
  }
  const call = (name: string, args: JsonObject = {}, more: JsonObject = {}, options: AskOptions = {}) =>
    ask("tools/call", { name, arguments: args, ...more }, options);
  return { ask, call };
}
