// Requests that the gateway sends on its own behalf: to read lists and to subscribe to changes.
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

/** Everything that the gateway can relay. It declares this to upstreams, because what a server offers may depend on it. */
export const relayedCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
};

/** The capabilities declared to upstreams with tasks, for callers that support tasks. */
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
  /** The caller on whose behalf the request runs. Default: the gateway itself. */
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
