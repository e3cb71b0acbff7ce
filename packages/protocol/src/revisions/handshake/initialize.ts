// The client's side of the handshake (D-20): what it sends in `initialize`, and what it reads from the answer (D-51).
import { isJsonObject, type JsonObject, nameOf } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../../meta/capabilities.ts";
import { parseImplementation } from "../../meta/envelope.ts";
import { metaKey } from "../../meta/keys.ts";
import type { DiscoverResult } from "../../model/discover.ts";
import { readServerCapabilities } from "../2025-11-25/capabilities.ts";
import { findRevision, modernRevisions } from "../find-revision.ts";

/** Params of initialize. */
export interface InitializeParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** Server capabilities with the tasks of 2025-11-25. */
export interface LegacyServerCapabilities extends ServerCapabilities {
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: { tools?: { call?: JsonObject } } };
}

/** The answer to initialize. */
export interface InitializeResult {
  protocolVersion: string;
  capabilities: LegacyServerCapabilities;
  /** Undefined if the server sent no valid Implementation. */
  serverInfo: Implementation | undefined;
  instructions?: string;
}

/** Throws an Error that names the missing member. Accepts any revision: the caller decides which revisions it speaks. */
export function parseInitializeResult(value: unknown): InitializeResult {
  //
  if (!isJsonObject(value)) throw new Error(`initialize: an object expected as result, got ${nameOf(value)}`);
  const { protocolVersion, capabilities, instructions } = value;
  if (typeof protocolVersion !== "string") {
    throw new Error(`initialize: member "protocolVersion" must be a string, got ${nameOf(protocolVersion)}`);
  }
  const result: InitializeResult = {
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? (capabilities as LegacyServerCapabilities) : {},
    serverInfo: parseImplementation(value.serverInfo),
  };
  if (typeof instructions === "string") result.instructions = instructions;
  return result;
}

/** The `server/discover` result that corresponds to the handshake. It lists modern revisions, which its caller speaks. */
export function toDiscoverResult(initialized: InitializeResult): DiscoverResult {
  // J-10
  const { protocolVersion, capabilities, instructions, serverInfo } = initialized;
  const read = findRevision(protocolVersion)?.readServerCapabilities ?? readServerCapabilities;
  const result: DiscoverResult = {
    resultType: "complete",
    supportedVersions: [...modernRevisions],
    capabilities: read({ ...capabilities }),
    ttlMs: 0,
    cacheScope: "private",
  };
  if (instructions !== undefined) result.instructions = instructions;
  if (serverInfo) result._meta = { [metaKey.serverInfo]: serverInfo };
  return result;
}

/**
 * True if tools of the server can run as tasks of 2025-11-25. The tool list says which ones can, and which ones must. FastMCP
 * 2.14 declares these tasks under `experimental`.
 */
export function hasTaskTools({ tasks, experimental }: LegacyServerCapabilities): boolean {
  const declared = tasks ?? experimental?.tasks;
  const requests = isJsonObject(declared) ? declared.requests : undefined;
  return isJsonObject(requests) && isJsonObject(requests.tools) && isJsonObject(requests.tools.call);
}

/** A warning for operators if a server declares tasks under `experimental` in an unknown form; undefined otherwise. */
export function ignoredTasksOf({ experimental }: ServerCapabilities): string | undefined {
  if (!isJsonObject(experimental) || !isJsonObject(experimental.tasks)) return undefined;
  if (hasTaskTools({ experimental })) return undefined;
  return "it declares tasks under capabilities.experimental, which no revision defines: they are ignored, and its tools run without tasks";
}
