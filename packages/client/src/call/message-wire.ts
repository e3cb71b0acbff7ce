// A peer behind a stream of messages: stdio, a legacy session, a pair in memory. Framing and connection are its matter.
import {
  errorCode,
  isJsonObject,
  isRequestId,
  type JsonRpcMessage,
  McpError,
  parseMessage,
  type RequestId,
} from "@lethe/protocol";
import type { TransportError } from "./transport-error.ts";

export interface MessageWire {
  /** The peer's name in error messages: its command line, its URL. */
  readonly peer: string;
  /**
   * Resolves when the peer can take more. Rejects with TransportError when this message got lost, or when it was a
   * request whose answer got lost; the wire itself may live on.
   */
  send(message: JsonRpcMessage): void | Promise<void>;
  /**
   * Set by whoever uses the wire, before the first send. `origin` is the id of our request to which the message belongs,
   * where the transport shows it: HTTP answers each request on a stream of its own, stdio has one for all.
   */
  onMessage: (message: JsonRpcMessage, origin?: RequestId) => void;
  /**
   * Set by whoever has requests open: what came as the answer to this one is none. Without an id, as that of the only one
   * that is open (J-29).
   */
  onInvalid?: (id: RequestId | undefined, error: TransportError) => void;
  /** Resolves once, with what every open request ends in. Never rejects. */
  readonly closed: Promise<TransportError>;
  /** A second call does nothing. */
  close(): Promise<void>;
}

/** The messages of one JSON value: a legacy peer may send several in an array (D-31). Throws McpError -32600. */
export function parseMessages(value: unknown): JsonRpcMessage[] {
  if (!Array.isArray(value)) return [parseMessage(value)];
  if (value.length === 0) throw new McpError(errorCode.invalidRequest, "invalid request: an empty array");
  return value.map(parseMessage);
}

/** Of what was to be a response and is no message: the request that it was to answer. */
export function answeredIdOf(text: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && !("method" in value) && isRequestId(value.id) ? value.id : undefined;
  } catch {
    return undefined;
  }
}
