// What the code by which processes coordinate needs of Redis. `RedisConnection` provides it over TCP, and a simulation provides it
// without a network.

/** A connection to Redis as stores use it: commands, channels and its state. */
export interface RedisLink {
  readonly client: RedisCommands;
  /** Whether commands and channels work. */
  readonly isUp: boolean;
  /** Adds the prefix to a key or channel. */
  nameOf(name: string): string;
  /** Returns the number of connections that received the message; 0 when there was no subscriber. */
  publish(channel: string, text: string): Promise<number>;
  /**
   * Calls `listener` with each message on a channel, also after a reconnect; messages published meanwhile are lost. Resolves
   * when Redis has acknowledged the subscription, or while there is no connection. Returns a function that unsubscribes: when
   * it resolves, all messages that Redis counted as received have been handled.
   */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => Promise<void>>;
  /** Calls `listener` after each reconnect, when all channels are subscribed again. Returns a function that removes it. */
  onResubscribed(listener: () => void): () => void;
  /** Returns the number of connections that are subscribed to each of these channels. */
  subscribersOf(channels: readonly string[]): Promise<number[]>;
  /** In a Redis Cluster, the link to the primary that has the keys of the directory. Otherwise undefined: this link has them. */
  readonly home: RedisLink | undefined;
  /** In a Redis Cluster, what a node said last while there is no connection. */
  readonly failure?: string | undefined;
}

/** Sends commands to Redis. */
export interface RedisCommands {
  /**
   * Sends one command. Commands of one connection run in the order of the calls. Rejects at once while there is no connection,
   * and with an Error named "ReplyError" when Redis rejects the command.
   */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Runs a Lua script by its SHA-1 digest. The first `keyCount` of `args` are its keys. */
  evalsha(digest: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
  /** Calls `listener` each time when the connection for commands becomes usable. */
  on(event: "ready", listener: () => void): unknown;
  off(event: "ready", listener: () => void): unknown;
}
