// Reads an open event stream and keeps its events until a caller waits for them.
import type { HttpAnswer } from "@lethe/client";
import { createSseDecoder, type SseEvent } from "@lethe/protocol";

export interface EventReader {
  /** Resolves with true as soon as `isEnough` returns true, and with false if the stream or the time ends first. */
  until(isEnough: (events: readonly SseEvent[]) => boolean, timeoutMs: number): Promise<boolean>;
  readonly events: readonly SseEvent[];
}

/** Keeps the first events of a stream, at most 256 events and 8 MiB in total. A probe needs no more. */
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
