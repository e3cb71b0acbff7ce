// Where a running call of a legacy session sends what precedes its response: the stream of its POST, a pipe, a test.

export interface MessageSink {
  /** False when the client reads nothing but one response. */
  readonly canAsk: boolean;
  /** A notification: false when the client reads more slowly than we write, and dropped when much too slowly. */
  notify(text: string): boolean;
  /** A question: never dropped. */
  send(text: string): void;
  drained(): Promise<void>;
  /** Ends this HTTP answer before there is a result; its client comes back for the rest. */
  disconnect?(): void;
}
