import { PassThrough, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LoopShare } from "../call/loop-share.ts";
import { readFairly } from "./read-fairly.ts";

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

async function readAll(chunks: readonly Uint8Array[], onRead: (bytes: Uint8Array) => void = () => {}): Promise<Buffer> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const read: Buffer[] = [];
  readFairly(stream, new LoopShare(), (bytes) => {
    read.push(Buffer.from(bytes));
    onRead(bytes);
  });
  await new Promise((resolve) => stream.once("end", resolve));
  return Buffer.concat(read);
}

it("every byte is delivered in order before the end, regardless of how long reading takes", async () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.boolean(), async (given, isSlow) => {
      const read = await readAll(given, () => isSlow && spin(5));
      expect(read.equals(Buffer.concat(given))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it("timers run between the chunks of a flood", async () => {
  const stream = new PassThrough();
  const pieces: number[] = [];
  let ticks = 0;
  readFairly(stream, new LoopShare(), ({ length }) => {
    pieces.push(length);
    spin(6);
  });
  // The first chunk tells that it is a flood; the second is read in sixteen pieces.
  stream.write(Buffer.alloc(65_536));
  stream.write(Buffer.alloc(65_536));
  while (pieces.length < 17) {
    await sleep(1);
    ticks += 1;
  }
  expect(pieces).toEqual([65_536, ...Array(16).fill(4_096)]);
  expect(ticks).toBeGreaterThan(10);
  stream.destroy();
});

it("nothing is read during a pause, so that the writer has to wait", async () => {
  const stream = new PassThrough({ highWaterMark: 16 });
  const paused = new Promise((resolve) => stream.once("pause", resolve));
  let reads = 0;
  readFairly(stream, new LoopShare(), () => {
    reads += 1;
    spin(10);
  });
  stream.write("x".repeat(16));
  await paused;
  expect([stream.write("x".repeat(64)), reads]).toEqual([false, 1]);
  stream.destroy();
});

it("bytes that arrive while a flood is read are delivered after it, as when Node resumes the pipes of an exited process", async () => {
  const stream = new PassThrough();
  const read: Buffer[] = [];
  readFairly(stream, new LoopShare(), (bytes) => {
    read.push(Buffer.from(bytes));
    spin(6);
  });
  const chunks = ["a", "b", "c"].map((letter) => Buffer.from(letter.repeat(20_000)));
  stream.once("pause", () => stream.on("pause", () => process.nextTick(() => stream.resume())));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true);
});
