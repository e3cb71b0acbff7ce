// What an upstream gets to see of a caller's request (J-55, J-56): its own names, the gateway's envelope, no foreign ids.

import type { Connection } from "@lethe/client";
import {
  type ClientCapabilities,
  clientCapabilitiesOf,
  type JsonObject,
  type ModernRequest,
  metaKey,
  type RequestMeta,
} from "@lethe/protocol";
import { gatewayInfo, relayedCapabilities } from "../upstream/own-request.ts";
import { sessionMetaKey } from "./session-argument.ts";

export interface OutgoingOptions {
  readonly connection: Pick<Connection, "era" | "revision"> | undefined;
  /** In place of the caller's: the name that the upstream knows, arguments without what is ours, its own state. */
  readonly params: JsonObject;
  readonly keepsClientInfo: boolean;
}

/** A legacy connection leaves the envelope behind by itself, and sends a progress token of its own. */
export function toUpstreamRequest(
  request: ModernRequest,
  { connection, params, keepsClientInfo }: OutgoingOptions,
): ModernRequest {
  const { _meta } = request.params;
  const isPlain = connection?.era === "legacy" && !(sessionMetaKey in _meta);
  const meta = isPlain ? _meta : toUpstreamMeta(request, connection?.revision, keepsClientInfo);
  return { id: request.id, method: request.method, params: { ...request.params, ...params, _meta: meta } };
}

function toUpstreamMeta(request: ModernRequest, revision: string | undefined, keepsClientInfo: boolean): RequestMeta {
  const { [sessionMetaKey]: _, ...meta } = request.params._meta;
  if (revision !== undefined) meta[metaKey.protocolVersion] = revision;
  meta[metaKey.clientCapabilities] = toRelayed(clientCapabilitiesOf(request));
  if (!keepsClientInfo) meta[metaKey.clientInfo] = gatewayInfo;
  return meta as RequestMeta;
}

/** What the caller declared and the gateway can bring to it. */
export function toRelayed(declared: ClientCapabilities): ClientCapabilities {
  return intersect(declared as JsonObject, relayedCapabilities as JsonObject) as ClientCapabilities;
}

function intersect(declared: JsonObject, possible: JsonObject): JsonObject {
  const common: JsonObject = {};
  for (const name in possible) {
    const value = declared[name];
    if (typeof value === "object" && value !== null)
      common[name] = intersect(value as JsonObject, possible[name] as JsonObject);
  }
  return common;
}
