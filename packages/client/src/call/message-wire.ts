// A peer behind a stream of messages: stdio, a legacy session, an in-memory pair. Framing is left to the transport.
import type { JsonRpcMessage, RequestId } from "@lethe/protocol";
import type { TransportError } from "./transport-error.ts";

/** A stream of messages to and from one peer. Implement it for a transport of your own. */
export interface MessageWire {
  /** The peer's name in error messages: its command line or URL. */
  readonly peer: string;
  /**
   * Resolves when the peer can take more. Rejects with TransportError if this message, or the response to this request,
   * was lost. The wire itself may still be usable.
   */
  send(message: JsonRpcMessage): void | Promise<void>;
  /**
   * Receives messages. Set before the first send. `origin` is the id of our request that the message belongs to, if the
   * transport shows it: HTTP answers each request on its own stream, stdio has one stream for all.
   */
  onMessage: (message: JsonRpcMessage, origin?: RequestId) => void;
  /** The transport shows the origin of each message that belongs to a request. Default: only Streamable HTTP does. */
  readonly showsOrigin?: boolean;
  /**
   * Receives the id of a request whose response was malformed. Without an id, the response belongs to the only open
   * request.
   */
  onInvalid?: (id: RequestId | undefined, error: TransportError) => void;
  /** Resolves once, with the error that every open request ends with. Never rejects. */
  readonly closed: Promise<TransportError>;
  /** Idempotent. */
  close(): Promise<void>;
}
