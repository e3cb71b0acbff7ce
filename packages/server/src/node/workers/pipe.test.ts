// The pipe between a parent and a worker.
import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Frame, FrameReader, frameKind } from "./frames.ts";
import { Pipe } from "./pipe.ts";

function openPipe({ isStuck = false } = {}) {
  const writes: Buffer[] = [];
  const reasons: string[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      writes.push(chunk);
      if (!isStuck) done();
    },
  });
  const pipe = new Pipe(stream, { onFrame() {}, onClose: (reason) => void reasons.push(reason) });
  return { pipe, writes, reasons };
}

function bodiesOf(chunk: Buffer): string[] {
  const frames: Frame[] = [];
  new FrameReader().push(chunk, (frame) => void frames.push(frame));
  return frames.map(({ body }) => body.toString());
}

const message = (text: string) => ({ kind: frameKind.message, peer: 1, body: Buffer.from(text) });

it("writes all frames of one turn of the event loop at once and in order", async () => {
  const { pipe, writes } = openPipe();
  pipe.send(message("a"));
  await Promise.resolve();
  pipe.send(message("b"));
  await nextTurn();
  pipe.send(message("c"));
  await nextTurn();
  expect(writes.map(bodiesOf)).toEqual([["a", "b"], ["c"]]);
});

it("writes the frames of this turn at once for a process that ends", () => {
  const { pipe, writes } = openPipe();
  pipe.send(message("a"));
  pipe.send(message("b"));
  pipe.flush();
  expect(writes.map(bodiesOf)).toEqual([["a", "b"]]);
});

it("counts frames that are not written yet as unsent", () => {
  const { pipe, reasons } = openPipe({ isStuck: true });
  const body = Buffer.alloc(9 * 1024 * 1024);
  pipe.send({ ...message(""), body });
  expect(pipe.isFull).toBe(false);
  pipe.send({ ...message(""), body });
  expect(pipe.isFull).toBe(true);
  for (let count = 0; count < 14; count += 1) pipe.send({ ...message(""), body });
  expect(reasons).toEqual([expect.stringContaining("it has not read")]);
});
