// Requests that the gateway makes on its own account: to read catalogues and to hear of changes.
import {
  type ClientCapabilities,
  type Exchange,
  type Implementation,
  type JsonObject,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  modernRevision,
} from "@lethe/protocol";

export const gatewayInfo: Implementation = { name: "lethe-gateway", version: "0.1.0" };

/** What the gateway can relay for its clients, and so what it declares upstream. */
export const relayedCapabilities: ClientCapabilities = {};

export function toOwnRequest(name: string, params: JsonObject = {}): ModernRequest {
  const _meta = {
    [metaKey.protocolVersion]: modernRevision,
    [metaKey.clientCapabilities]: relayedCapabilities,
    [metaKey.clientInfo]: gatewayInfo,
  } as ModernRequest["params"]["_meta"];
  return { id: 0, method: name, params: { ...params, _meta } };
}

export interface OwnExchangeOptions {
  signal: AbortSignal;
  onNotification?(notification: JsonRpcNotification): void;
}

export function createOwnExchange({ signal, onNotification }: OwnExchangeOptions): Exchange {
  return {
    signal,
    caller: undefined,
    notify(notification) {
      onNotification?.(notification);
      return true;
    },
    drained: () => Promise.resolve(),
  };
}
