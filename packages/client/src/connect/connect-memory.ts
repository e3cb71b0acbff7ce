// Connects to a server in the same process.

import {
  type ClientCapabilities,
  checkOptions,
  type Dispatch,
  type Implementation,
  type KnownOptions,
  method,
  modelRevision,
} from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { createRequestBuilder } from "../call/build-request.ts";
import type { Connection } from "../call/connection.ts";
import { createExchange } from "../call/exchange.ts";
import { decideHttp, refuseLegacy } from "../era/decide.ts";
import { createMemoryDispatch, knownMemoryOptions, type MemoryOptions } from "../memory/memory-dispatch.ts";

/** Options of a connection to a server in the same process. Requests fail after 60 s without activity by default. */
export interface ConnectMemoryOptions extends MemoryOptions {
  /** The identity of the client. Default: it stays anonymous. */
  clientInfo?: Implementation;
  /** The capabilities of the client. Default none. */
  capabilities?: ClientCapabilities;
  /** Cancels connecting. Does not affect an established connection. */
  signal?: AbortSignal;
}

export const knownConnectMemoryOptions: KnownOptions<ConnectMemoryOptions> = {
  ...knownMemoryOptions,
  clientInfo: true,
  capabilities: true,
  signal: true,
};

/**
 * Connects to a server in the same process. `name` names it in errors. Requests and results are copied, as if a transport carried them.
 * Rejects with the error of the server, and with TransportError if it supports no modern revision.
 *
 * @example
 * import { connectMemory } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const connection = await connectMemory("hello", server.dispatch, { timeoutMs: 5_000 });
 * console.log(connection.era); // modern
 * await connection.close();
 */
export async function connectMemory(
  name: string,
  serve: Dispatch,
  options: ConnectMemoryOptions = {},
): Promise<Connection> {
  checkOptions("connectMemory", options, knownConnectMemoryOptions);
  const { clientInfo, capabilities = {}, signal } = options;
  const { dispatch, closed, close } = createMemoryDispatch(name, serve, options);
  const { build } = createRequestBuilder({ ...(clientInfo && { clientInfo }), capabilities, revision: modelRevision });
  const result = await dispatch(build(method.discover, {}), createExchange({ signal }));
  const decision = decideHttp(name, { result });
  if (decision.kind === "failed") throw decision.error;
  if (decision.kind === "legacy") throw refuseLegacy(name, decision.because);
  const { server } = decision;
  // No wire: both sides speak the model.
  const revision = modelRevision;
  const { traits } = revisionNamed(revision);
  return { dispatch, era: "modern", revision, traits, server, closed, close: async () => close() };
}
