// Requests that the gateway makes on its own account: to read catalogues and to hear of changes.
import {
  type Caller,
  type ClientCapabilities,
  type Exchange,
  type Implementation,
  type JsonObject,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  modelRevision,
  tasksExtension,
} from "@lethe/protocol";

export const gatewayInfo: Implementation = { name: "lethe-gateway", version: "0.1.0" };

/** All that the gateway can relay, and so what it declares upstream: what a server offers may depend on it. */
export const relayedCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
};

/** To upstreams that have tasks, for callers who can take them. */
export const withTasks: ClientCapabilities = { ...relayedCapabilities, extensions: { [tasksExtension]: {} } };

export function toOwnRequest(
  name: string,
  params: JsonObject = {},
  capabilities: ClientCapabilities = relayedCapabilities,
): ModernRequest {
  const _meta = {
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: capabilities,
    [metaKey.clientInfo]: gatewayInfo,
  } as ModernRequest["params"]["_meta"];
  return { id: 0, method: name, params: { ...params, _meta } };
}

export interface OwnExchangeOptions {
  signal: AbortSignal;
  /** On whose behalf. Default: the gateway's own. */
  caller?: Caller | undefined;
  onNotification?(notification: JsonRpcNotification): void;
}

export function createOwnExchange({ signal, caller, onNotification }: OwnExchangeOptions): Exchange {
  return {
    signal,
    caller,
    notify(notification) {
      onNotification?.(notification);
      return true;
    },
    drained: () => Promise.resolve(),
  };
}
