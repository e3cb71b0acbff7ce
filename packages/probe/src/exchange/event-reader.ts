// Reads an event stream that stays open and keeps what it said until somebody asks for it.
import type { HttpAnswer } from "@lethe/client";
import { createSseDecoder, type SseEvent } from "@lethe/protocol";

export interface EventReader {
  /** Resolves with true when `isEnough` is, and with false when the stream ends or the time is over before. */
  until(isEnough: (events: readonly SseEvent[]) => boolean, timeoutMs: number): Promise<boolean>;
  readonly events: readonly SseEvent[];
}

/** The first events of a stream are kept: up to 256 of them, and up to 8 MiB in all. A probe learns nothing from more. */
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
    let length = 0;
    const isFull = (): boolean => events.length >= maxEvents || length > maxEventBytes;
    for (let part = await chunks.next(); !part.done && !isFull(); part = await chunks.next()) {
      for (const event of decoder.push(part.value)) {
        if (isFull()) break;
        length += event.data.length;
        events.push(event);
      }
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
