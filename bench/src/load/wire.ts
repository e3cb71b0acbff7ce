// The measured requests, in both eras of the protocol.
import { askingToolName, progressToolName, taskToolName } from "../contenders/tools.ts";

/** The revision of the requests: 2026-07-28, or 2025-06-18 without sessions. */
export type Wire = "modern" | "legacy";

export interface Message {
  id?: number | string;
  method?: string;
  params?: object;
  result?: {
    content?: { type: string; text: string }[];
    tools?: unknown[];
    inputRequests?: Record<string, unknown>;
    requestState?: string;
    taskId?: string;
    status?: string;
  };
  error?: unknown;
}

/** How many different request bodies are sent in rotation. */
export const rotation = 64;

const version = { modern: "2026-07-28", legacy: "2025-06-18" };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": version.modern,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

/** The name in the request with this id. It differs for each request of the rotation. */
export function nameFor(id: number): string {
  return `guest ${id % rotation}`;
}

export function greetCall(wire: Wire, id: number): Message {
  return toRequest(wire, id, "tools/call", { name: "greet", arguments: { name: nameFor(id) } });
}

export function progressCall(wire: Wire, id: number): Message {
  const params = { name: progressToolName, arguments: { name: nameFor(id) } };
  return toRequest(wire, id, "tools/call", params, { progressToken: `p${id}` });
}

/** The first round of a call that elicits the name. */
export function askingCall(id: number): Message {
  return toRequest("modern", id, "tools/call", { name: askingToolName, arguments: {} });
}

/** The second round, with the response to the elicitation of `asked`. */
export function answeredCall(id: number, { result = {} }: Message, name: string): Message {
  const { inputRequests = {}, requestState } = result;
  const answer = { action: "accept", content: { name } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
  const params = { name: askingToolName, arguments: {}, inputResponses };
  return toRequest("modern", id, "tools/call", requestState === undefined ? params : { ...params, requestState });
}

const declaresTasks = {
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** Answered by a task. */
export function taskCall(id: number): Message {
  const params = { name: taskToolName, arguments: { name: nameFor(id) } };
  return toRequest("modern", id, "tools/call", { ...params, _meta: { ...envelope, ...declaresTasks } });
}

export function getTaskCall(id: number, taskId: string): Message {
  return toRequest("modern", id, "tasks/get", { taskId, _meta: { ...envelope, ...declaresTasks } });
}

export function listCall(wire: Wire, id: number): Message {
  return toRequest(wire, id, "tools/list", {});
}

export function listenCall(id: number): Message {
  return toRequest("modern", id, "subscriptions/listen", { notifications: { toolsListChanged: true } });
}

function toRequest(wire: Wire, id: number, method: string, params: object, meta: object = {}): Message {
  const whole = { ...meta, ...(wire === "modern" ? envelope : {}) };
  const withMeta = Object.keys(whole).length > 0 ? { _meta: whole, ...params } : params;
  return { jsonrpc: "2.0", id, method, params: withMeta } as Message;
}

/** The messages of a legacy client on stdio before its first request. */
export function openingLines(wire: Wire): string[] {
  if (wire === "modern") return [];
  const params = { protocolVersion: version.legacy, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
  return [
    JSON.stringify({ jsonrpc: "2.0", id: "opening", method: "initialize", params }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  ];
}

/** The bytes of one POST of this message to /mcp, with optional additional header lines. */
export function toHttpRequest(wire: Wire, message: Message, headers: readonly string[] = []): Buffer {
  const body = JSON.stringify(message);
  const { name, taskId } = message.params as { name?: string; taskId?: string };
  const mirrored = name ?? taskId;
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `MCP-Protocol-Version: ${version[wire]}`,
    ...(wire === "modern" ? [`Mcp-Method: ${message.method}`, ...(mirrored ? [`Mcp-Name: ${mirrored}`] : [])] : []),
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** The messages in a response body, whether it is one JSON object or an event stream. */
export function messagesOf(body: string): Message[] {
  if (body.startsWith("{")) return [JSON.parse(body)];
  return body
    .split("\n")
    .filter((line) => line.startsWith("data:") && line.length > "data: ".length)
    .map((line) => JSON.parse(line.slice("data:".length)));
}
