import { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { BatchedInput } from "./batched-input.ts";

const line = (index: number) => `${`${index}`.padEnd(99, ".")}\n`;
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index));

/** A stdin that takes each write after `take` is called, or at once. */
function stdin({ holds = false, firstWrite = 512 } = {}) {
  const written: string[] = [];
  let take = () => {};
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: holds ? 1 : 1_000_000,
    write(text: string, _encoding, done) {
      written.push(text);
      if (holds) take = done;
      else done();
    },
  });
  return { input: new BatchedInput(stream, firstWrite), written, take: () => take() };
}

it("writes the first messages of a turn at once and the following ones in ever larger pieces", async () => {
  const { input, written } = stdin();
  for (const text of lines(100)) void input.write(text);
  expect(written.map(({ length }) => length)).toEqual([600, 1_100, 2_100, 4_100]);
  await nextTurn();
  expect(written).toHaveLength(5);
  expect(written.join("")).toBe(lines(100).join(""));
});

it("writes the messages of a turn in one piece if the first piece may be large, as on one core", async () => {
  const { input, written } = stdin({ firstWrite: 16_384 });
  for (const text of lines(100)) void input.write(text);
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual([lines(100).join("")]);
});

it("begins each turn with a small piece again", async () => {
  const { input, written } = stdin();
  for (const text of lines(100)) void input.write(text);
  await nextTurn();
  written.length = 0;
  for (const text of lines(6)) void input.write(text);
  expect(written).toEqual([lines(6).join("")]);
});

it("writes nothing more to a process that does not read, and all of it in order when it does", async () => {
  const { input, written, take } = stdin({ holds: true });
  const [first, ...others] = lines(50);
  const results = [input.write(first as string)];
  await nextTurn();
  for (const text of others) results.push(input.write(text));
  await nextTurn();
  expect(written).toEqual([first]);
  expect(input.length).toBe(4_900);
  expect(results.at(-1)).toBeInstanceOf(Promise);
  take();
  await results.at(-1);
  expect(written.join("")).toBe(lines(50).join(""));
});
