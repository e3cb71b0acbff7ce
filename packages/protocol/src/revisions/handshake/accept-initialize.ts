// The server's side of the handshake (D-20): the client's offer, the revision to answer with, and the answer.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Implementation } from "../../meta/capabilities.ts";
import { parseImplementation } from "../../meta/envelope.ts";
import { serverInfoOf } from "../../meta/result.ts";
import type { DiscoverResult } from "../../model/discover.ts";
import { expectObject, expectString } from "../../model/expect.ts";
import type { LegacyRevision } from "../find-revision.ts";
import type { Revision } from "../revision.ts";

/** The offer of a client in initialize. */
export interface InitializeOffer {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  /** Undefined if the client sent no valid Implementation. */
  readonly clientInfo: Implementation | undefined;
}

/** Throws McpError -32602 for malformed params. */
export function parseInitializeParams(params: JsonObject = {}): InitializeOffer {
  //
  return {
    protocolVersion: expectString(params, "protocolVersion"),
    capabilities: expectObject(params, "capabilities"),
    clientInfo: parseImplementation(params.clientInfo),
  };
}

/** The requested revision if it is served, else the newest served one. `served` is sorted newest first. */
export function chooseRevision(
  requested: string,
  served: readonly [LegacyRevision, ...LegacyRevision[]],
): LegacyRevision {
  // D.4/3
  return served.find((revision) => revision === requested) ?? served[0];
}

/** The answer to `initialize`. `fallbackInfo` names the server if `discovered` does not. */
export function toInitializeResult(
  revision: Revision,
  discovered: DiscoverResult,
  fallbackInfo: Implementation,
): JsonObject {
  const result: JsonObject = {
    protocolVersion: revision.name,
    capabilities: revision.writeServerCapabilities(discovered.capabilities),
    serverInfo: serverInfoOf(discovered) ?? fallbackInfo,
  };
  if (discovered.instructions !== undefined) result.instructions = discovered.instructions;
  return result;
}
