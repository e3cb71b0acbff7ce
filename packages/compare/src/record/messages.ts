// Extracts the JSON-RPC messages of a recording, in the order in which they crossed the wire.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { HttpExchange, Recording, StdioLine } from "./recording.ts";

export interface WireMessage {
  readonly at: number;
  readonly sender: "client" | "server";
  /** The number of the exchange or line that carried the message. */
  readonly number: number;
  readonly message: JsonObject;
}

export function toMessages({ exchanges, lines }: Pick<Recording, "exchanges" | "lines">): WireMessage[] {
  return [...exchanges.flatMap(ofExchange), ...lines.flatMap(ofLine)].sort((a, b) => a.at - b.at);
}

function ofExchange({ number, startedAt, request, response }: HttpExchange): WireMessage[] {
  const asked = parseAll(request.body).map((message) => ({
    at: startedAt,
    sender: "client" as const,
    number,
    message,
  }));
  const texts = response?.events ?? (response ? [{ at: response.at, data: response.body }] : []);
  const answered = texts.flatMap(({ at, data }) =>
    parseAll(data).map((message) => ({ at, sender: "server" as const, number, message })),
  );
  return [...asked, ...answered];
}

function ofLine({ at, sender, number, text }: StdioLine): WireMessage[] {
  return parseAll(text).map((message) => ({ at, sender, number, message }));
}

/** Returns one message for a JSON object, several for a batch, and none for anything else. */
export function parseAll(text: string): JsonObject[] {
  if (!/^\s*[{[]/.test(text)) return [];
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
  } catch {
    return [];
  }
}

/** A short description of a message: "tools/call greet", "result", "error -32601". */
export function describeMessage(message: JsonObject): string {
  const { method, params, result, error } = message;
  if (typeof method === "string") {
    const target = isJsonObject(params) ? (params.name ?? params.uri) : undefined;
    return typeof target === "string" ? `${method} ${target}` : method;
  }
  if (isJsonObject(error)) return `error ${String(error.code)}`;
  if (!isJsonObject(result)) return "message";
  const asked = inputRequestMethods(result);
  if (asked.length > 0) return `input_required: ${asked.join(", ")}`;
  if (result.isError === true) return "result (isError)";
  return createsTask(result) ? "result: task" : "result";
}

/** FastMCP 2.14 puts the task that a call created into `_meta`. */
const fastmcpTaskKey = "modelcontextprotocol.io/task";

// F-2, D-38.
/** True if the result creates a task, under 2026-07-28 or 2025-11-25. */
export function createsTask(result: unknown): boolean {
  if (!isJsonObject(result)) return false;
  const { resultType, task, _meta } = result;
  return resultType === "task" || isJsonObject(task) || (isJsonObject(_meta) && isJsonObject(_meta[fastmcpTaskKey]));
}

/** The methods of the input requests in an `input_required` result. */
export function inputRequestMethods(result: unknown): string[] {
  if (!isJsonObject(result) || result.resultType !== "input_required" || !isJsonObject(result.inputRequests)) return [];
  return Object.values(result.inputRequests).flatMap((request) =>
    isJsonObject(request) && typeof request.method === "string" ? [request.method] : [],
  );
}
