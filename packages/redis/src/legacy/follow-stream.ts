// Reads one event stream as it grows, to its end or to the end of the process that writes it.
import type { Follower, Following } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";

export interface FollowedStream {
  readonly redis: RedisConnection;
  /** Of the stream; its key has the same name. */
  readonly channel: string;
  readonly after: number;
  readonly follower: Follower;
  /** ms; how often it looks whether the writer still lives, and whether it has missed being told of something. */
  readonly checkEveryMs: number;
  /** Undefined for what was not written by one of us. */
  textOf(seq: number, sealed: string): string | undefined;
  /** Of the process that writes streams under this address. */
  aliveKeyOf(address: string): string;
}

/** KEYS: the stream. ARGV: from where on. What came since, and the newest of all. */
const readScript = `
return {
  redis.call("XRANGE", KEYS[1], ARGV[1], "+"),
  redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1),
}`;

type Entry = [id: string, fields: string[]];

/** Undefined when nothing is known of the stream, or its writer is dead. Rejects when Redis is away. */
export async function followStream(stream: FollowedStream): Promise<Following | undefined> {
  const { redis, channel, follower, checkEveryMs, textOf, aliveKeyOf } = stream;
  const key = redis.nameOf(channel);
  const readAfter = createScript(redis, readScript);
  let last = stream.after;
  let isOver = false;
  let isReading = true;
  let isMore = false;

  /** What it tells of is told by then. */
  async function read(): Promise<"growing" | "ended" | "lost"> {
    const [fresh, [newest]] = (await readAfter([key], [`(${last}-1`])) as [Entry[], [Entry?]];
    for (const [id, fields] of fresh) tell(Number.parseInt(id, 10), fieldOf(fields, "d"));
    if (!newest) return "lost";
    if (fieldOf(newest[1], "e") !== undefined) return "ended";
    const isAlive = await redis.client.exists(redis.nameOf(aliveKeyOf(fieldOf(newest[1], "o") ?? "")));
    return isAlive ? "growing" : "lost";
  }

  function tell(seq: number, sealed: string | undefined): void {
    if (seq <= last || isOver) return;
    last = seq;
    const text = sealed === undefined ? undefined : textOf(seq, sealed);
    if (text !== undefined) follower.event(seq, text);
  }

  /** One reading at a time; what comes during one is read by the next. */
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
  const stopHearing = await redis.subscribe(channel, () => void readOn());
  function stop(): void {
    isOver = true;
    clearInterval(timer);
    void stopHearing();
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
