import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrames, type Frame, FrameReader } from "./frames.ts";

const number = fc.maxSafeNat().map((value) => value % 2 ** 48);
const frame = fc.record({ number, text: fc.string({ unit: "grapheme", maxLength: 200 }) });

function readAll(reader: FrameReader): Frame[] {
  const frames: Frame[] = [];
  for (let one = reader.next(); one; one = reader.next()) frames.push(one);
  return frames;
}

test("frames arrive unchanged and in order, however the network divides their bytes", () => {
  fc.assert(
    fc.property(
      fc.array(frame),
      number,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (sent, handled, sizes) => {
        const bytes = encodeFrames(sent, handled);
        const reader = new FrameReader(10_000);
        const received: Frame[] = [];
        for (let at = 0, index = 0; at < bytes.length; index += 1) {
          const size = sizes[index % sizes.length] as number;
          reader.add(bytes.subarray(at, at + size));
          received.push(...readAll(reader));
          at += size;
        }
        expect(received).toEqual(sent.map((one) => ({ ...one, handled })));
      },
    ),
  );
});

test("a truncated frame is no frame", () => {
  const bytes = encodeFrames([{ number: 1, text: "text" }], 0);
  for (let size = 0; size < bytes.length; size += 1) {
    const reader = new FrameReader(100);
    reader.add(bytes.subarray(0, size));
    expect(reader.next()).toBeUndefined();
  }
});

test("a frame that is too large is refused by its head, before its text arrives", () => {
  const fits = { number: 1, text: "x".repeat(100) };
  const reader = new FrameReader(100);
  reader.add(encodeFrames([fits], 7));
  expect(reader.next()).toEqual({ ...fits, handled: 7 });
  reader.add(encodeFrames([{ ...fits, text: "x".repeat(101) }], 7).subarray(0, 16));
  expect(() => reader.next()).toThrow("at most 100 bytes expected in a frame, got 101");
});
