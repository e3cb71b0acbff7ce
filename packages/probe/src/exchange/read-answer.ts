// Finds the answer to a request in received messages. Accepts more than a client does, because a probe observes a server and
// does not check its conformance.
import { isJsonObject, type JsonObject, type JsonRpcErrorObject, type RequestId } from "@lethe/protocol";
import type { Answer } from "./exchange.ts";

export interface Heard {
  answer?: Answer;
  /** Methods of requests that the server sent. */
  asked: string[];
}

// D-31: a legacy server may put several messages into an array.
/** Reads the messages of one JSON text into `heard`. */
export function readMessages(text: string, id: RequestId | undefined, heard: Heard): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  for (const message of Array.isArray(value) ? value : [value]) {
    if (isJsonObject(message)) readMessage(message, id, heard);
  }
}

export function readMessage(message: JsonObject, id: RequestId | undefined, heard: Heard): void {
  if (typeof message.method === "string") {
    if ("id" in message) heard.asked.push(message.method);
    return;
  }
  const answer = toAnswer(message, id);
  if (answer) heard.answer ??= answer;
}

function toAnswer(message: JsonObject, id: RequestId | undefined): Answer | undefined {
  // An error for an unreadable request has no id. Only one request is open, so it belongs to that one.
  const isOurs = message.id === id || ((message.id === null || message.id === undefined) && "error" in message);
  if (!isOurs || message.jsonrpc !== "2.0") return undefined;
  if (isJsonObject(message.result)) return { kind: "result", result: message.result };
  if (isJsonObject(message.error)) return { kind: "error", error: toError(message.error) };
  return undefined;
}

function toError({ code, message, data }: JsonObject): JsonRpcErrorObject {
  const error: JsonRpcErrorObject = { code: typeof code === "number" ? code : 0, message: String(message ?? "") };
  if (data !== undefined) error.data = data;
  return error;
}
