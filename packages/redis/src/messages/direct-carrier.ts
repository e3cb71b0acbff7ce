// What messaging needs of direct connections between processes. Where there is one, it carries the messages instead of Redis.
import type { JsonObject } from "@lethe/protocol";

export interface DirectCarrier {
  /** From now on messages arrive. */
  start(receiver: DirectReceiver): void;
  /** Undefined: there is no connection to this process. */
  stateOf(process: string): "ready" | "full" | undefined;
  /**
   * Sends to a process with a connection. Resolves with 1 when the process has handled the message. Rejects with NotSentError if it has not,
   * with DirectClosedError if that is not known, because the connection was closed, and with RangeError if the message is too large.
   */
  send(to: string, number: number, message: object): Promise<number>;
}

export interface DirectReceiver {
  /** The number of the last message that this process sent to another one through Redis, or 0. */
  lastSent(to: string): number;
  /** Calls back when a message of `from` with this number, or a later one, was handled. Undefined: that is so already. */
  whenReceived(from: string, number: number, callback: () => void): (() => void) | undefined;
  receive(from: string, number: number, message: JsonObject): void;
}
