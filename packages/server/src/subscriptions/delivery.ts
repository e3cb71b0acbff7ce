// Delivers changes over several turns of the event loop where they concern thousands of streams.
import { type Change, topicOf } from "./change.ts";
import { spreadOverTurns } from "./spread-over-turns.ts";

export interface Delivery {
  /** Begins at once. */
  add(change: Change): void;
  /** Delivers everything that waits for a later turn. */
  finish(): void;
}

/** Streams that receive one change in a turn of the event loop. Each takes about 30 µs. */
const maxPerTurn = 500;

/** Streams that leave the audience before their turn receive nothing. */
export function createDelivery<Stream>(
  audienceOf: (topic: string) => Iterable<Stream> | undefined,
  deliver: (stream: Stream, topic: string, change: Change) => void,
): Delivery {
  /** By topic, in order of arrival. Only the last change of a topic counts. */
  const waiting = new Map<string, Change>();
  const work = spreadOverTurns(function* () {
    for (const [topic, change] of waiting) {
      waiting.delete(topic);
      let left = maxPerTurn;
      for (const stream of audienceOf(topic) ?? []) {
        if (left === 0) {
          yield;
          left = maxPerTurn;
        }
        left -= 1;
        deliver(stream, topic, change);
      }
    }
  });
  return {
    add(change) {
      const topic = topicOf(change);
      if (!audienceOf(topic)) return;
      waiting.set(topic, change);
      work.start();
    },
    finish: work.finish,
  };
}
