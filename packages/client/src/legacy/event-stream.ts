// Reads an event stream of a legacy server, and remembers where it could go on (D-35).
import { createSseDecoder, type MemoryBudget, type SseEvent } from "@lethe/protocol";
import type { LoopShare } from "../call/loop-share.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "../http/held-answer.ts";
import type { HttpAnswer } from "../http/http-send.ts";

/** Where a stream was when it broke off. */
export interface StreamCursor {
  /** Undefined for a stream that cannot be resumed. */
  lastEventId: string | undefined;
  /** How long the server asked to be left alone before the next try, in milliseconds. */
  retryMs: number | undefined;
}

/** A server that says 0 is not asked as fast as a machine can. */
const shortestRetryMs = 50;

/** How long to wait before a stream is asked for again; `usualMs` when its server did not say (D-35). */
export function retryDelayOf({ retryMs }: StreamCursor, usualMs: number): number {
  return Math.max(retryMs ?? usualMs, shortestRetryMs);
}

export interface StreamReader {
  readonly maxEventBytes: number;
  readonly memory: MemoryBudget;
  readonly share: LoopShare;
  /** Whatever came, even if it is no event. */
  onActivity?(): void;
  /** An event with data. True ends the reading. */
  onEvent(event: SseEvent): boolean;
}

/** True when the reader has got what it wanted; false when the stream ended before, in whatever way. */
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
