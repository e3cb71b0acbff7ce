// Follows a stream of events in a shared store, which is read again after each of its notifications and periodically. The types are those of
// an event log (legacy/shared/event-log.ts), stated again: forwarding must work without the support of older revisions.

/** growing: its writer lives. ended: no event follows. lost: the stream is unknown, or its writer is dead. */
export type StreamState = "growing" | "ended" | "lost";

export interface FollowedReads {
  /** The number of the last known event. */
  readonly after: number;
  /** How often the writer's heartbeat and missed notifications are checked, in ms. */
  readonly checkEveryMs: number;
  /** Passes the events after this one to `deliver`, in their order. Rejects when the store is away. */
  read(after: number, deliver: (seq: number, sealed: string | undefined) => void): Promise<StreamState>;
  /** Calls `onChange` after each event. Resolves with a function that ends it. */
  subscribe(onChange: () => void): Promise<() => unknown>;
  /** Decrypts an event. Undefined if it was not written with the keys of the deployment. */
  textOf(seq: number, sealed: string): string | undefined;
  readonly follower: {
    event(seq: number, text: string): void;
    /** No event follows. */
    end(): void;
  };
}

export interface FollowingReads {
  /** Whether all events were delivered already. */
  readonly isEnded: boolean;
  stop(): void;
}

/** Resolves after the first read: with undefined when the stream is lost. Rejects when the store is away. */
export async function followReads(stream: FollowedReads): Promise<FollowingReads | undefined> {
  const { follower, checkEveryMs, textOf } = stream;
  let last = stream.after;
  let isOver = false;
  let isReading = true;
  let isMore = false;

  /** Resolves after the follower got all new events. */
  const read = (): Promise<StreamState> => stream.read(last, deliver);

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
  const unsubscribe = await stream.subscribe(() => void readOn());
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
