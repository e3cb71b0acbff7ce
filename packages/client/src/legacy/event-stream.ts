// Reads an event stream of a legacy server, and keeps the position from which it can be resumed.
import { createSseDecoder, type MemoryBudget, type SseEvent } from "@lethe/protocol";
import type { LoopShare } from "../call/loop-share.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "../http/held-answer.ts";
import type { HttpAnswer } from "../http/http-send.ts";

/** The position of a stream. */
export interface StreamCursor {
  /** Undefined for a stream that cannot be resumed. */
  lastEventId: string | undefined;
  /** The `retry` time of the server, in milliseconds. */
  retryMs: number | undefined;
}

/** The shortest wait, also for a server that gives 0. */
const shortestRetryMs = 50;

/** How long to wait before a stream is resumed, in milliseconds; `usualMs` when the server gave no time. */
export function retryDelayOf({ retryMs }: StreamCursor, usualMs: number): number {
  return Math.max(retryMs ?? usualMs, shortestRetryMs);
}

export interface StreamReader {
  readonly maxEventBytes: number;
  readonly memory: MemoryBudget;
  readonly share: LoopShare;
  /** Called for all bytes, even if they contain no event. */
  onActivity?(): void;
  /** Called with each event that has data. Returning true stops the reading. */
  onEvent(event: SseEvent): boolean;
}

/** Resolves to true when `onEvent` returned true, and to false when the stream ended first, for any reason. */
export async function readEvents(answer: HttpAnswer, cursor: StreamCursor, reader: StreamReader): Promise<boolean> {
  const decoder = createSseDecoder({ maxEventBytes: reader.maxEventBytes });
  const chunks = answer.chunks(reader.share);
  const held = new HeldAnswer(reader.memory, "an event stream", () => answer.discard());
  try {
    for (;;) {
      const text = await chunks.next().then(
        ({ value }) => value,
        () => undefined,
      );
      held.requireKept();
      if (text === undefined) return false;
      if (reader.share.restMs > 0) await reader.share.rest();
      let startedAt = performance.now();
      reader.onActivity?.();
      const events = decode(text);
      held.set(decoder.heldLength);
      for (const event of events) {
        if (event.id !== undefined) cursor.lastEventId = event.id === "" ? undefined : event.id;
        if (event.retryMs !== undefined) cursor.retryMs = event.retryMs;
        if (event.data !== "" && reader.onEvent(event)) {
          answer.discard();
          return true;
        }
        if (!reader.share.isTurnOver(startedAt)) continue;
        reader.share.spend(startedAt);
        await reader.share.rest();
        startedAt = performance.now();
      }
      reader.share.spend(startedAt);
    }
  } finally {
    held.release();
  }

  function decode(text: string): SseEvent[] {
    try {
      return decoder.push(text);
    } catch (error) {
      answer.discard();
      throw new TransportError("too_large", (error as Error).message);
    }
  }
}

export function isEventStream(answer: HttpAnswer): boolean {
  return answer.status === 200 && /^\s*text\/event-stream\s*(;|$)/i.test(answer.headers("content-type") ?? "");
}
