// The handshake of the legacy revisions (D-20), and what a modern caller reads out of its answer (D-51).
import { isJsonObject, type JsonObject, nameOf } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../meta/capabilities.ts";
import { parseImplementation } from "../meta/envelope.ts";
import { metaKey, modernRevisions } from "../meta/keys.ts";
import type { DiscoverResult } from "../model/discover.ts";

export interface InitializeParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** The core tasks of 2025-11-25 beside what modern servers declare too (D-38). */
export interface LegacyServerCapabilities extends ServerCapabilities {
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: { tools?: { call?: JsonObject } } };
}

export interface InitializeResult {
  protocolVersion: string;
  capabilities: LegacyServerCapabilities;
  /** Undefined when the server sent something that is no Implementation. */
  serverInfo: Implementation | undefined;
  instructions?: string;
}

/** The task extension of the modern era: its name may stand in a legacy answer, its methods are not there. */
const tasksExtension = "io.modelcontextprotocol/tasks";

/** Throws an Error that says what was missing; whether the revision is one that we speak is the caller's question. */
export function parseInitializeResult(value: unknown): InitializeResult {
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

/** What `server/discover` would have said. Lists modern revisions only, because that is what its caller speaks (J-10). */
export function toDiscoverResult(initialized: InitializeResult): DiscoverResult {
  const result: DiscoverResult = {
    resultType: "complete",
    supportedVersions: [...modernRevisions],
    capabilities: toModernCapabilities(initialized.capabilities),
    ttlMs: 0,
    cacheScope: "private",
  };
  if (initialized.instructions !== undefined) result.instructions = initialized.instructions;
  if (initialized.serverInfo) result._meta = { [metaKey.serverInfo]: initialized.serverInfo };
  return result;
}

function toModernCapabilities(capabilities: LegacyServerCapabilities): ServerCapabilities {
  const { tasks: _, ...modern } = capabilities;
  if (modern.extensions?.[tasksExtension] === undefined) return modern;
  const { [tasksExtension]: __, ...extensions } = modern.extensions;
  return { ...modern, extensions };
}

/**
 * True for a server whose tools can be called as core tasks. Which of them can, and must, its list says. FastMCP 2.14 declares
 * core tasks under `experimental`.
 */
export function hasTaskTools({ tasks, experimental }: LegacyServerCapabilities): boolean {
  const declared = tasks ?? experimental?.tasks;
  const requests = isJsonObject(declared) ? declared.requests : undefined;
  return isJsonObject(requests) && isJsonObject(requests.tools) && isJsonObject(requests.tools.call);
}

/**
 * For operators; undefined unless tasks are declared under `experimental` in a form other than that of FastMCP 2.14, whose tools
 * can be called as core tasks.
 */
export function ignoredTasksOf({ experimental }: ServerCapabilities): string | undefined {
  if (!isJsonObject(experimental) || !isJsonObject(experimental.tasks)) return undefined;
  if (hasTaskTools({ experimental })) return undefined;
  return "it declares tasks under capabilities.experimental, which no revision defines: they are ignored, and its tools run without tasks";
}
