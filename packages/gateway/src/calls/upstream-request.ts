// Builds the request that an upstream receives: with the upstream's own names and the gateway's envelope, and without ids of
// the caller.
import type { Connection } from "@lethe/client";
import {
  type ClientCapabilities,
  clientCapabilitiesOf,
  type JsonObject,
  type ModernRequest,
  metaKey,
  type RequestMeta,
} from "@lethe/protocol";
import { declaredExtensionsOf } from "../extensions/declared-extensions.ts";
import type { ExtensionFilter } from "../extensions/extension-filter.ts";
import { gatewayInfo, relayedCapabilities, withTasks } from "../upstreams/connection/own-request.ts";
import { sessionMetaKey } from "./session-argument.ts";

export interface OutgoingOptions {
  readonly connection: Pick<Connection, "traits" | "revision"> | undefined;
  /** Replaces params of the caller: the upstream's name, arguments without the gateway's own, the upstream's state. */
  readonly params: JsonObject;
  readonly keepsClientInfo: boolean;
  /** The upstream may answer with a task. */
  readonly mayMakeTask: boolean;
  /** Which extensions pass. Default: all. */
  readonly extensions?: ExtensionFilter;
  /** The revision of a message that is relayed with all capabilities that its caller declares. Default: that of the connection. */
  readonly revision?: string | undefined;
}

/** A legacy connection drops the envelope by itself, and sends a progress token of its own. */
export function toUpstreamRequest(request: ModernRequest, options: OutgoingOptions): ModernRequest {
  const { connection, params, mayMakeTask, extensions } = options;
  const { _meta } = request.params;
  const isUnchanged = !(sessionMetaKey in _meta) && (extensions?.passesAll ?? true);
  const isPlain = connection?.traits.hasHandshake && mayMakeTask && isUnchanged;
  const meta = isPlain ? _meta : toUpstreamMeta(request, options);
  return { id: request.id, method: request.method, params: { ...request.params, ...params, _meta: meta } };
}

function toUpstreamMeta(
  request: ModernRequest,
  { connection, keepsClientInfo, mayMakeTask, extensions, revision }: OutgoingOptions,
): RequestMeta {
  const { [sessionMetaKey]: _, ...meta } = request.params._meta;
  extensions?.narrowMeta(meta);
  if (revision !== undefined) meta[metaKey.protocolVersion] = revision;
  else {
    if (connection) meta[metaKey.protocolVersion] = connection.revision;
    meta[metaKey.clientCapabilities] = toRelayed(clientCapabilitiesOf(request), mayMakeTask, extensions);
  }
  if (!keepsClientInfo) meta[metaKey.clientInfo] = gatewayInfo;
  return meta as RequestMeta;
}

/** The capabilities that the caller declared and the gateway can forward. */
export function toRelayed(
  declared: ClientCapabilities,
  mayMakeTask: boolean,
  filter?: ExtensionFilter,
): ClientCapabilities {
  const possible = mayMakeTask ? withTasks : relayedCapabilities;
  const relayed: ClientCapabilities = intersect(declared as JsonObject, possible as JsonObject);
  const all = declaredExtensionsOf(declared);
  const { extensions, experimental } = (filter?.narrow(all) ?? all).capabilities;
  if (extensions) relayed.extensions = { ...relayed.extensions, ...extensions };
  if (experimental) relayed.experimental = experimental;
  return relayed;
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
