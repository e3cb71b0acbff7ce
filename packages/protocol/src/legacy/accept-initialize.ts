// The server's side of the handshake (D-20): what the client offers, which revision it gets, and what it is told.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../meta/capabilities.ts";
import { parseImplementation } from "../meta/envelope.ts";
import { serverInfoOf } from "../meta/result.ts";
import type { DiscoverResult } from "../model/discover.ts";
import { expectObject, expectString } from "../model/expect.ts";
import type { LegacyRevision } from "./revision.ts";
import type { RevisionCodec } from "./revision-codec.ts";

export interface InitializeOffer {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  /** Undefined when the client sent something that is no Implementation. */
  readonly clientInfo: Implementation | undefined;
}

/** Throws McpError -32602. */
export function parseInitializeParams(params: JsonObject = {}): InitializeOffer {
  return {
    protocolVersion: expectString(params, "protocolVersion"),
    capabilities: expectObject(params, "capabilities"),
    clientInfo: parseImplementation(params.clientInfo),
  };
}

/** The requested revision when it is served, else the newest that is; never a modern one (D.4/3). `served`: newest first. */
export function chooseRevision(
  requested: string,
  served: readonly [LegacyRevision, ...LegacyRevision[]],
): LegacyRevision {
  return served.find((revision) => revision === requested) ?? served[0];
}

export function toInitializeResult(
  codec: RevisionCodec,
  discovered: DiscoverResult,
  fallbackInfo: Implementation,
): JsonObject {
  const result: JsonObject = {
    protocolVersion: codec.revision,
    capabilities: codec.toLegacyCapabilities(discovered.capabilities),
    serverInfo: serverInfoOf(discovered) ?? fallbackInfo,
  };
  if (discovered.instructions !== undefined) result.instructions = discovered.instructions;
  return result;
}
