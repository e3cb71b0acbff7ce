// The way to Redis or Valkey: one connection for commands and one that hears channels, each of which comes back by itself.
import { once } from "node:events";
import { Redis } from "ioredis";
import { findEviction } from "./eviction.ts";
import { startPulse } from "./pulse.ts";

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user, password and database where needed. */
  url: string;
  /** Stands in front of every key and channel. Default "lethe:". */
  prefix?: string;
  /** How long a command may take, and both connections may be silent before they are made anew, in ms. Default 5,000. */
  timeoutMs?: number;
  /** Told once whenever Redis is lost. Never names a password. */
  onLost?: (reason: string) => void;
  /** Told when it is there again. */
  onBack?: () => void;
  /** Told of a Redis that may lose what it is given: once, at the beginning. */
  onProblem?: (problem: string) => void;
}

export interface RedisConnection {
  /** Commands reject at once while there is no connection, instead of queueing. */
  readonly client: Redis;
  /** Whether commands reach Redis, and what is published reaches us. */
  readonly isUp: boolean;
  /** The name of a key or channel as Redis knows it. */
  nameOf(name: string): string;
  /** How many connections heard it; 0 when nobody did. */
  publish(channel: string, text: string): Promise<number>;
  /**
   * Hears what is published on a channel, and again after a connection was lost; what was published meanwhile is missed.
   * Resolves when Redis has acknowledged it, or while there is no connection. Returns how to stop: what Redis says that this
   * process has heard was heard when that resolves.
   */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => Promise<void>>;
  /** Calls back whenever channels are heard again after a loss. Returns how to stop. */
  onHearingAgain(listener: () => void): () => void;
  close(): void;
}

const maxRetryDelayMs = 2_000;

/** Rejects when Redis cannot be reached, or refuses the credentials. */
export async function connectRedis(options: RedisOptions): Promise<RedisConnection> {
  const { url, prefix = "lethe:", timeoutMs = 5_000 } = options;
  const common = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // A stand-by that has not taken over yet, or is not the one any more that its address leads to.
    reconnectOnError: ({ message }: Error) => message.includes("READONLY"),
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), maxRetryDelayMs),
  };
  const client = new Redis(url, { ...common, connectionName: "lethe" });
  const ears = new Redis(url, { ...common, connectionName: "lethe ears", autoResubscribe: false });
  // Without a listener an error would end the process.
  for (const connection of [client, ears]) connection.on("error", () => {});

  let hasBegun = false;
  const listeners = new Map<string, Set<(text: string) => void>>();
  ears.on("message", (channel: string, text: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(text);
  });
  const whenHearing = new Set<() => void>();
  const tellHearing = (): void => {
    for (const listener of whenHearing) listener();
  };
  ears.on("ready", () => {
    // The first time there is nothing to hear again.
    if (hasBegun) ears.subscribe(...listeners.keys()).then(tellHearing, () => {});
  });

  const nameOf = (name: string): string => `${prefix}${name}`;
  const round = nameOf(`round:${crypto.randomUUID()}`);
  listeners.set(round, new Set([() => pulse.heard()]));
  try {
    await Promise.all([begin(client), begin(ears)]);
    await ears.subscribe(round);
    const eviction = options.onProblem && (await findEviction(client));
    if (eviction !== undefined) options.onProblem?.(eviction);
    hasBegun = true;
  } catch (error) {
    client.disconnect();
    ears.disconnect();
    throw new Error(wordsOf(error as Error), { cause: error });
  }
  const isUp = (): boolean => client.status === "ready" && ears.status === "ready";
  const state = tellState([client, ears], options);
  const pulse = startPulse({
    patienceMs: timeoutMs,
    isUp,
    send: () => client.publish(round, ""),
    onSilent() {
      state.because(new Error("it does not answer, or nothing comes from it"));
      // To say good-bye takes as long as the other side does.
      for (const { stream } of [client, ears]) stream.destroy();
    },
  });
  return {
    client,
    get isUp() {
      return isUp();
    },
    nameOf,
    publish: (channel, text) => client.publish(nameOf(channel), text),
    async subscribe(channel, listener) {
      const name = nameOf(channel);
      const hearing = listeners.get(name) ?? new Set();
      const isFirst = hearing.size === 0;
      listeners.set(name, hearing.add(listener));
      if (isFirst && ears.status === "ready") await ears.subscribe(name);
      return async () => {
        const isLast = hearing.size === 1 && hearing.has(listener);
        if (isLast && ears.status === "ready") await ears.unsubscribe(name).catch(() => {});
        hearing.delete(listener);
        if (hearing.size === 0) listeners.delete(name);
        // Somebody has come meanwhile.
        else if (isLast && ears.status === "ready") await ears.subscribe(name).catch(() => {});
      };
    },
    onHearingAgain(listener) {
      whenHearing.add(listener);
      return () => void whenHearing.delete(listener);
    },
    close() {
      state.close();
      pulse.close();
      listeners.clear();
      whenHearing.clear();
      client.disconnect();
      ears.disconnect();
    },
  };
}

/** Rejects with the first error: `connect` alone would tell that the connection is closed, and not why. */
async function begin(connection: Redis): Promise<void> {
  connection.connect().catch(() => {});
  await once(connection, "ready");
}

interface StateTelling {
  /** What ends the connections at this moment. */
  because(reason: Error): void;
  close(): void;
}

/** Once per loss, whichever connection it is and however often each of them tries to come back. */
function tellState(connections: readonly Redis[], { onLost, onBack }: RedisOptions): StateTelling {
  let isLost = false;
  let isOver = false;
  let reason: Error | undefined;
  for (const connection of connections) {
    connection.on("error", (error: Error) => {
      reason = error;
    });
    connection.on("close", () => {
      if (isLost || isOver) return;
      isLost = true;
      onLost?.(reason ? wordsOf(reason) : "it has closed the connection");
    });
    connection.on("ready", () => {
      if (!isLost || !connections.every(({ status }) => status === "ready")) return;
      isLost = false;
      reason = undefined;
      onBack?.();
    });
  }
  return {
    because(error) {
      reason = error;
    },
    close() {
      isOver = true;
    },
  };
}

/** Where a name has several addresses, the error of all of them together says nothing. */
function wordsOf(error: Error): string {
  if (/unknown resp type/i.test(error.message)) return "what answers there is no Redis";
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message || error.message || String((error as NodeJS.ErrnoException).code ?? "no reason given");
}
