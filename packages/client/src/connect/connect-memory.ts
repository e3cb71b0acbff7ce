// Connects to a server in the same process.
import { type ClientCapabilities, type Dispatch, type Implementation, method, modelRevision } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { createRequestBuilder } from "../call/build-request.ts";
import type { Connection } from "../call/connection.ts";
import { createExchange } from "../call/exchange.ts";
import { decideHttp, refuseLegacy } from "../era/decide.ts";
import { createMemoryDispatch, type MemoryOptions } from "../memory/memory-dispatch.ts";

export interface ConnectMemoryOptions extends MemoryOptions {
  clientInfo?: Implementation;
  capabilities?: ClientCapabilities;
  signal?: AbortSignal;
}

export async function connectMemory(
  name: string,
  serve: Dispatch,
  options: ConnectMemoryOptions = {},
): Promise<Connection> {
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
