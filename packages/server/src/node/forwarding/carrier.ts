// What forwarded requests need of the messages between replicas, and the errors of a direct connection between two of them.

export interface Carrier<M extends object> {
  /** Whether messages to this replica can be sent: `full` while it is too slow for more. */
  stateOf(to: string): "ready" | "full" | "unreachable";
  /**
   * Sends a message, in the order of the calls. Returns the number of receivers: 0 when the replica is gone. Rejects when the shared store is
   * away, with DirectClosedError when a direct connection was closed before the replica acknowledged the message, and with RangeError if the
   * message is too large.
   */
  send(to: string, message: M): Promise<number>;
}

/** The connection was closed before the other process acknowledged the message. */
export class DirectClosedError extends Error {
  constructor(reason: string) {
    super(`the direct connection was closed: ${reason}`);
    this.name = "DirectClosedError";
  }
}

/** The connection was closed before the message was written to it. */
export class NotSentError extends DirectClosedError {
  constructor(reason: string) {
    super(reason);
    this.name = "NotSentError";
  }
}
