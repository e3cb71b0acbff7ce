// Follows one event stream until it ends or the process that writes it dies.
import type { Follower, Following } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { readEvents } from "./event-statements.ts";

export interface FollowedStream {
  readonly postgres: Pick<PostgresLink, "prefix" | "run" | "subscribe">;
  /** The name of the stream and of its channel. */
  readonly stream: string;
  readonly after: number;
  readonly follower: Follower;
  /** How often the writer's heartbeat and missed notifications are checked, in ms. */
  readonly checkEveryMs: number;
  /** Decrypts an event. Undefined if it was not written with the keys of the deployment. */
  textOf(seq: number, sealed: string): string | undefined;
}

interface EventRow {
  readonly seq: number | null;
  readonly event: string | null;
  readonly isEnded: boolean;
  readonly isAlive: boolean;
}

/** Returns undefined when the stream is unknown or its writer is dead. Rejects when PostgreSQL is away. */
export async function followStream(followed: FollowedStream): Promise<Following | undefined> {
  const { postgres, stream, follower, checkEveryMs, textOf } = followed;
  let last = followed.after;
  let isOver = false;
  let isReading = true;
  let isMore = false;

  /** Resolves after the follower got all new events. */
  async function read(): Promise<"growing" | "ended" | "lost"> {
    const rows = await postgres.run<EventRow>(readEvents, [postgres.prefix, stream, last]);
    for (const { seq, event } of rows) if (seq !== null && event !== null) deliver(seq, event);
    const [first] = rows;
    if (first?.isEnded) return "ended";
    return first?.isAlive ? "growing" : "lost";
  }

  function deliver(seq: number, sealed: string): void {
    if (seq <= last || isOver) return;
    last = seq;
    const text = textOf(seq, sealed);
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
  const unsubscribe = await postgres.subscribe(stream, () => void readOn());
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
