// Follows one event stream until it ends or the process that writes it dies.
import type { Follower, Following } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";

export interface FollowedStream {
  readonly redis: RedisConnection;
  /** The channel of the stream; its key has the same name. */
  readonly channel: string;
  readonly after: number;
  readonly follower: Follower;
  /** How often the writer's heartbeat and missed notifications are checked, in ms. */
  readonly checkEveryMs: number;
  /** Decrypts an event. Undefined if it was not written with the keys of the deployment. */
  textOf(seq: number, sealed: string): string | undefined;
  /** The heartbeat key of the process with this address. */
  aliveKeyOf(address: string): string;
}

/** KEYS: the stream. ARGV: the last known entry. Returns the entries after it, and the newest entry. */
const readScript = `
return {
  redis.call("XRANGE", KEYS[1], ARGV[1], "+"),
  redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1),
}`;

type Entry = [id: string, fields: string[]];

/** Returns undefined when the stream is unknown or its writer is dead. Rejects when Redis is away. */
export async function followStream(stream: FollowedStream): Promise<Following | undefined> {
  const { redis, channel, follower, checkEveryMs, textOf, aliveKeyOf } = stream;
  const key = redis.nameOf(channel);
  const readAfter = createScript(redis, readScript);
  let last = stream.after;
  let isOver = false;
  let isReading = true;
  let isMore = false;

  /** Resolves after the follower got all new events. */
  async function read(): Promise<"growing" | "ended" | "lost"> {
    const [fresh, [newest]] = (await readAfter([key], [`(${last}-1`])) as [Entry[], [Entry?]];
    for (const [id, fields] of fresh) deliver(Number.parseInt(id, 10), fieldOf(fields, "d"));
    if (!newest) return "lost";
    if (fieldOf(newest[1], "e") !== undefined) return "ended";
    const isAlive = await redis.client.exists(redis.nameOf(aliveKeyOf(fieldOf(newest[1], "o") ?? "")));
    return isAlive ? "growing" : "lost";
  }

  function deliver(seq: number, sealed: string | undefined): void {
    if (seq <= last || isOver) return;
    last = seq;
    const text = sealed === undefined ? undefined : textOf(seq, sealed);
    if (text !== undefined) follower.event(seq, text);
  }

  /** One read at a time. A notification during a read causes another one. */
  async function readOn(): Promise<void> {
    isMore = true;
    if (isReading) return;
    isReading = true;
    while (isMore && !isOver) {
      isMore = false;
      const state = await read().catch(() => "growing");
      if (state === "growing" || isOver) continue;
      stop();
      follower.end();
    }
    isReading = false;
  }

  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = await redis.subscribe(channel, () => void readOn());
  function stop(): void {
    isOver = true;
    clearInterval(timer);
    void unsubscribe();
  }

  const state = await read().catch((error: unknown) => {
    stop();
    throw error;
  });
  if (state !== "growing") stop();
  if (state === "lost") return undefined;
  if (state === "ended") return { isEnded: true, stop() {} };
  isReading = false;
  timer = setInterval(() => void readOn(), checkEveryMs).unref();
  if (isMore) void readOn();
  return { isEnded: false, stop };
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  const index = fields.indexOf(name);
  return index < 0 || index % 2 > 0 ? undefined : fields[index + 1];
}
