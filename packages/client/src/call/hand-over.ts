// Gives a message of a peer to the listener of its wire.
import type { JsonRpcMessage, RequestId } from "@lethe/protocol";
import type { MessageWire } from "./message-wire.ts";
import { TransportError } from "./transport-error.ts";

/**
 * Throws TransportError "invalid" for what the listener throws. A listener that fails at a message is our own defect, but the
 * peer chose the message: it must cost the peer its message, and not everyone this process.
 */
export function handOver(wire: MessageWire, message: JsonRpcMessage, origin?: RequestId): void {
  try {
    wire.onMessage(message, origin);
  } catch (cause) {
    const what = "method" in message ? `"${message.method.slice(0, 80)}"` : "a response";
    throw new TransportError("invalid", `${wire.peer}: ${what} could not be handled`, { cause });
  }
}
