// What stores need of PostgreSQL. `PostgresConnection` provides it.

/** A prepared statement. Each name stands for one text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A parameter of a statement. Arrays become arrays of PostgreSQL. */
export type Value = string | number | boolean | null | readonly (string | number)[];

/** Runs one statement and returns its rows. 64-bit integers are numbers. */
export type Run = <R extends object>(statement: Statement, values: readonly Value[]) => Promise<readonly R[]>;

/** A connection to PostgreSQL as stores use it: statements, channels and its state. */
export interface PostgresLink {
  /** Separates the rows and channels of one server from those of others. */
  readonly prefix: string;
  /** Whether messages arrive. */
  readonly isUp: boolean;
  /** Rejects with PostgresUnavailableError while the database cannot be reached. */
  readonly run: Run;
  /** Runs statements in one transaction, which is rolled back when `work` rejects. `work` may run again after a deadlock. */
  transact<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Sends a message, in the order of the calls. `text` is ASCII, as sealed messages are. */
  publish(channel: string, text: string): Promise<void>;
  /**
   * Calls `listener` with each message on a channel, also after a reconnect; messages published meanwhile are lost. Resolves when the
   * database has acknowledged the subscription, or while there is no connection. Returns a function that unsubscribes.
   */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => Promise<void>>;
  /**
   * Sends a message to the process that receives at `address`, in the order of the calls. Resolves with false, and sends nothing, if none
   * does. Rejects with NotRunError if the message was not sent for another reason.
   */
  sendTo(address: string, text: string): Promise<boolean>;
  /** As `subscribe`, for the messages to an address that only this process has. */
  receiveAt(address: string, listener: (text: string) => void): Promise<() => Promise<void>>;
  /** Calls `listener` after each reconnect, when all channels are subscribed again. Returns a function that removes it. */
  onResubscribed(listener: () => void): () => void;
}
