// Shortens the capabilities and the description of a client to the length that a session id can carry. A session id is a header
// of every request, and proxies reject long headers: nginx allows 8 KiB per line by default. Sessions also hold them in memory.
import { type ClientCapabilities, type Implementation, invalidParams, isDeeperThan } from "@lethe/protocol";

/** Bytes of the facts of a session as JSON. Sealed and encoded, they take fewer than 4,096 characters. */
export const maxSessionBytes = 2_560;

const maxCapabilitiesBytes = 1_536;
/** For each of name, version and title. */
const maxTextBytes = 256;
const maxDepth = 100;
const encoder = new TextEncoder();

/**
 * Removes `experimental` from capabilities of more than 1,536 bytes, and every capability unknown to the core if that is not
 * enough. Throws McpError -32602 for capabilities nested deeper than 100 levels.
 */
export function shortenCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  if (isDeeperThan(maxDepth, capabilities)) {
    throw invalidParams(`params.capabilities must not nest deeper than ${maxDepth} levels`);
  }
  if (fits(capabilities)) return capabilities;
  const { experimental: _, ...standard } = capabilities;
  if (fits(standard)) return standard;
  const { elicitation, sampling, roots } = capabilities;
  const short: ClientCapabilities = {};
  if (elicitation) {
    short.elicitation = { ...(elicitation.form && { form: {} }), ...(elicitation.url && { url: {} }) };
  }
  if (sampling) short.sampling = { ...(sampling.tools && { tools: {} }), ...(sampling.context && { context: {} }) };
  if (roots) short.roots = {};
  return short;
}

function fits(capabilities: ClientCapabilities): boolean {
  return byteLengthOf(capabilities) <= maxCapabilitiesBytes;
}

/** Keeps the name, version and title of a client, each cut to 256 bytes. Drops the rest: icons may be whole images. */
export function shortenClientInfo({ name, version, title }: Implementation): Implementation {
  const info = { name: shortText(name), version: shortText(version) };
  return typeof title === "string" ? { ...info, title: shortText(title) } : info;
}

function shortText(text: string): string {
  if (text.length <= maxTextBytes && byteLengthOf(text) <= maxTextBytes) return text;
  let bytes = 2;
  let short = "";
  for (const char of text) {
    bytes += byteLengthOf(char) - 2;
    if (bytes > maxTextBytes) break;
    short += char;
  }
  return short;
}

/** The length as JSON, with quotes and escapes. */
function byteLengthOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
