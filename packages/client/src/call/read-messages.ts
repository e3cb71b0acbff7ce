// Parses the messages of a peer from text. Rejects text that is no message, and messages that are nested too deeply to be
// walked or serialized again: `JSON.parse` has no such limit, but `JSON.stringify` does.
import {
  errorCode,
  isDeeperThan,
  isJsonObject,
  isRequestId,
  type JsonObject,
  type JsonRpcErrorResponse,
  type JsonRpcMessage,
  McpError,
  type MemoryBudget,
  measureJson,
  parseMessage,
  processMemory,
  type RequestId,
} from "@lethe/protocol";
import { excerptOf, isTransportError, TransportError } from "./transport-error.ts";

/** Smaller texts are not worth a look at what they take when they are parsed, in characters. */
const largeText = 64 * 1024;
/** Levels of arrays and objects, the message itself among them. */
const maxDepth = 1_000;

/**
 * The messages of one JSON value: a legacy peer may send several in an array. `what` begins the error's message.
 * Throws TransportError "invalid" or "too_deep".
 */
export function readMessages(text: string, what: string): JsonRpcMessage[] {
  try {
    return parseMessages(readJson(text, what));
  } catch (error) {
    if (isTransportError(error)) throw error;
    throw new TransportError("invalid", `${what}: expected a JSON-RPC message, got ${excerptOf(text)}`);
  }
}

/** Throws TransportError "too_deep" or "too_large", and SyntaxError for what is no JSON. */
export function readJson(text: string, what: string, memory: MemoryBudget = processMemory): unknown {
  if (text.length >= largeText) {
    requireBounds(text, what, memory);
    return JSON.parse(text);
  }
  const value: unknown = JSON.parse(text);
  // Each level takes two characters, so that most messages need not be looked at.
  if (text.length < 2 * maxDepth || !isDeeperThan(maxDepth, value)) return value;
  throw tooDeep(what);
}

function tooDeep(what: string): TransportError {
  return new TransportError("too_deep", `${what}: what came is nested deeper than ${maxDepth} levels`);
}

/** A text may take twenty times its size once it is parsed. Walking a large value takes as long as parsing it, so the text is measured. */
function requireBounds(text: string, what: string, memory: MemoryBudget): void {
  const { parsedBytes, depth } = measureJson(text);
  if (depth > maxDepth) throw tooDeep(what);
  const bytes = text.length + parsedBytes;
  if (memory.hasRoomFor(bytes)) return;
  const room = Math.max(0, memory.hardBytes - memory.heldBytes);
  throw new TransportError(
    "too_large",
    `${what}: what came would occupy about ${bytes} bytes of memory, of ${room} left`,
  );
}

/** Of what was to be a response and is no message: the request that it was to answer. */
export function answeredIdOf(text: string): RequestId | undefined {
  const value = toObject(text);
  return value && !("method" in value) && isRequestId(value.id) ? value.id : undefined;
}

/** The error response to a request that was rejected for `error`, so that its sender does not wait. Undefined for other messages. */
export function refusalOf(text: string, { reason }: TransportError): JsonRpcErrorResponse | undefined {
  if (reason !== "too_deep") return undefined;
  const { id, method } = toObject(text) ?? {};
  if (!isRequestId(id) || typeof method !== "string") return undefined;
  const message = `invalid request: nested deeper than ${maxDepth} levels`;
  return { jsonrpc: "2.0", id, error: { code: errorCode.invalidRequest, message } };
}

/** Undefined for a text that is no object. Only the first and last members of a large text are read. */
function toObject(text: string): JsonObject | undefined {
  if (text.length >= largeText) return outerMembersOf(text);
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How far from either end of a large text its id and method are looked for, in characters. */
const outerLength = 1_000;
/** A member name, and its value if that is a number or a string. */
const memberPattern = /\s*"(\w+)"\s*:\s*(-?\d+(?![.\deE])|"(?:[^"\\]|\\.)*")?\s*(,?)/y;
const lastIdPattern = /,\s*"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*\}\s*$/;

/**
 * The simple members before the first array or object of a message, and an id that is its last member. A large message is not
 * parsed to reject it: parsing may be what it was rejected for.
 */
function outerMembersOf(text: string): JsonObject | undefined {
  const head = text.slice(0, outerLength);
  const start = /^\s*\{/.exec(head);
  if (!start) return undefined;
  const members: JsonObject = {};
  memberPattern.lastIndex = start[0].length;
  for (let more = true; more; ) {
    const [, name = "", value, comma] = memberPattern.exec(head) ?? [];
    if (value !== undefined) members[name] = JSON.parse(value);
    more = value !== undefined && comma === ",";
  }
  const last = lastIdPattern.exec(text.slice(-outerLength));
  if (last?.[1] !== undefined) members.id ??= JSON.parse(last[1]);
  return members;
}

function parseMessages(value: unknown): JsonRpcMessage[] {
  if (!Array.isArray(value)) return [parseMessage(value)];
  if (value.length === 0) throw new McpError(errorCode.invalidRequest, "invalid request: an empty array");
  return value.map(parseMessage);
}
