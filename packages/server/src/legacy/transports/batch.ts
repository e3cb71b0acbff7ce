// Parses the body of a POST, or a line of stdio: one message, or a batch in revisions that have batches (D-31).
import {
  errorCode,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcRequest,
  McpError,
  parseMessage,
} from "@lethe/protocol";
import { legacyMethod, type Revision } from "@lethe/protocol/revisions";
import { requestIdOf } from "../../http/admit.ts";
import { toErrorText } from "../../http/response-text.ts";

export interface Batch {
  readonly isArray: boolean;
  readonly requests: readonly JsonRpcRequest[];
  /** Notifications and responses. */
  readonly clientMessages: readonly Exclude<JsonRpcMessage, JsonRpcRequest>[];
  /** Error responses for elements of the array that are not valid messages. */
  readonly refusals: readonly string[];
}

/** Throws McpError -32600 if the whole body is invalid. */
export function parseBatch(value: unknown, revision: Revision, maxBatch: number): Batch {
  if (!Array.isArray(value)) return sort([parseMessage(value)], [], false);
  if (!revision.traits.hasBatches)
    throw invalid(`one message expected, got an array: revision ${revision.name} has no batches`);
  if (value.length === 0) throw invalid("at least one message expected, got an empty array");
  if (value.length > maxBatch) throw invalid(`at most ${maxBatch} messages expected, got ${value.length}`);
  const messages: JsonRpcMessage[] = [];
  const refusals: string[] = [];
  for (const element of value) {
    try {
      messages.push(parseElement(element));
    } catch (error) {
      refusals.push(toErrorText(requestIdOf(element), McpError.from(error)));
    }
  }
  return sort(messages, refusals, true);
}

function parseElement(element: unknown): JsonRpcMessage {
  const message = parseMessage(element);
  if (isRequest(message) && message.method === legacyMethod.initialize) {
    throw invalid("initialize must not be part of a batch");
  }
  return message;
}

function sort(messages: readonly JsonRpcMessage[], refusals: readonly string[], isArray: boolean): Batch {
  const requests: JsonRpcRequest[] = [];
  const clientMessages: Batch["clientMessages"][number][] = [];
  for (const message of messages) {
    if (isRequest(message)) requests.push(message);
    else clientMessages.push(message);
  }
  return { isArray, requests, clientMessages, refusals };
}

function invalid(expectation: string): McpError {
  return new McpError(errorCode.invalidRequest, `invalid request: ${expectation}`);
}
