// Reads an event stream that stays open and keeps what it said until somebody asks for it.
import type { HttpAnswer } from "@lethe/client";
import { createSseDecoder, type SseEvent } from "@lethe/protocol";

export interface EventReader {
  /** Resolves with true when `isEnough` is, and with false when the stream ends or the time is over before. */
  until(isEnough: (events: readonly SseEvent[]) => boolean, timeoutMs: number): Promise<boolean>;
  readonly events: readonly SseEvent[];
}

/** A stream that says more than this is none that a probe can learn from; its first words are kept. */
const maxEvents = 256;
const maxEventBytes = 8 * 1024 * 1024;

export function createEventReader(http: HttpAnswer): EventReader {
  const events: SseEvent[] = [];
  let isOver = false;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };

  async function read(): Promise<void> {
    const decoder = createSseDecoder({ maxEventBytes });
    const chunks = http.chunks();
    for (let part = await chunks.next(); !part.done && events.length < maxEvents; part = await chunks.next()) {
      events.push(...decoder.push(part.value));
      tell();
    }
  }

  function end(): void {
    isOver = true;
    tell();
  }

  void read().then(end, end);

  function until(isEnough: (events: readonly SseEvent[]) => boolean, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
      const look = () => {
        if (isEnough(events)) settle(true);
        else if (isOver) settle(false);
      };
      const settle = (isFound: boolean) => {
        clearTimeout(timer);
        listeners.delete(look);
        resolve(isFound);
      };
      listeners.add(look);
      look();
    });
  }

  return { until, events };
}
