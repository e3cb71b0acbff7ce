// The `initialize` handshake, and which methods the server offers.
import {
  type ClientCapabilities,
  type Implementation,
  isExtensionMethod,
  legacyRevisions,
  methodInfo,
  methodNotFound,
  modernRevisions,
} from "@lethe/protocol";
import {
  type InitializeParams,
  type InitializeResult,
  isLegacyRevision,
  type LegacyRevision,
  newestLegacyRevision,
  parseInitializeResult,
  revisionNamed,
} from "@lethe/protocol/revisions";
import type { Requester } from "../call/requester.ts";
import { TransportError } from "../call/transport-error.ts";

export interface HandshakeOptions {
  clientInfo: Implementation;
  /**
   * Declared once for all callers. Default: all input requests. An input request that the caller of a call cannot answer is
   * refused.
   */
  capabilities?: ClientCapabilities;
  /** The revision to offer. A server that does not serve it names another. Default: the newest before 2026-07-28. */
  offeredRevision?: LegacyRevision | undefined;
  /** How long the server may take to start, in milliseconds. Default 60,000: the program may have to be downloaded. */
  initializeTimeoutMs?: number;
}

export interface Handshake extends InitializeResult {
  readonly protocolVersion: LegacyRevision;
}

const everyCapability: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/**
 * Rejects with McpError when the server refuses, and with TransportError when client and server have no revision in common.
 * Calls `onAgreed` with the revision before `notifications/initialized` is sent.
 */
export async function shakeHands(
  requester: Requester,
  peer: string,
  options: HandshakeOptions,
  onAgreed?: (revision: LegacyRevision) => void,
): Promise<Handshake> {
  const { clientInfo, capabilities = everyCapability, initializeTimeoutMs = 60_000, offeredRevision } = options;
  const protocolVersion = offeredRevision ?? newestLegacyRevision;
  const params: InitializeParams = { protocolVersion, capabilities, clientInfo };
  const result = await requester.requestWithin(initializeTimeoutMs, "initialize", { ...params });
  const handshake = parseHandshake(result, peer);
  onAgreed?.(handshake.protocolVersion);
  await requester.notify("notifications/initialized");
  return handshake;
}

function parseHandshake(result: unknown, peer: string): Handshake {
  let initialized: InitializeResult;
  try {
    initialized = parseInitializeResult(result);
  } catch (cause) {
    throw new TransportError("invalid", `${peer}: ${(cause as Error).message}`, { cause });
  }
  const { protocolVersion } = initialized;
  if (isLegacyRevision(protocolVersion)) return { ...initialized, protocolVersion };
  const known = legacyRevisions.join(", ");
  const advice = modernRevisions.includes(protocolVersion) ? ", a revision that has no initialize" : "";
  throw new TransportError(
    "invalid",
    `${peer} answered initialize with revision ${JSON.stringify(protocolVersion)}${advice}; expected one of ${known}`,
  );
}

/** Throws -32601 for a method that the server's capabilities do not include, and for an unknown method of the core. */
export function requireOffered(name: string, { capabilities, protocolVersion }: Handshake): void {
  if (!isOffered(name, capabilities, protocolVersion)) throw methodNotFound(name);
}

function isOffered(name: string, capabilities: Handshake["capabilities"], revision: LegacyRevision): boolean {
  if (isExtensionMethod(name)) return true;
  const capability = methodInfo(name)?.capability;
  if (capability === undefined) return false;
  if (capabilities[capability] !== undefined) return true;
  return capability === "completions" && !revisionNamed(revision).traits.declaresCompletions;
}
