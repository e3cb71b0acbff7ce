// A peer behind a stream of messages: stdio, a legacy session, a pair in memory. Framing and connection are its matter.
import type { JsonRpcMessage, RequestId } from "@lethe/protocol";
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
