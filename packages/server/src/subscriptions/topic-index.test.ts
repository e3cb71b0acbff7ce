// Topics of closed streams must not pile up: URIs are the clients' to choose.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTopicIndex } from "./topic-index.ts";

const all: readonly string[] = ["a", "b", "c", "d"];
const names = fc.uniqueArray(fc.constantFrom(...all));

test("returns exactly the open streams that named a topic, and drops a topic without streams", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ topics: names, isClosed: fc.boolean() })), (streams) => {
      const index = createTopicIndex<(typeof streams)[number]>();
      for (const stream of streams) index.add(stream);
      for (const stream of streams) if (stream.isClosed) index.remove(stream);
      for (const topic of all) {
        const open = streams.filter(({ isClosed, topics }) => !isClosed && topics.includes(topic));
        expect(index.audience(topic)).toEqual(open.length === 0 ? undefined : new Set(open));
      }
    }),
  );
});
