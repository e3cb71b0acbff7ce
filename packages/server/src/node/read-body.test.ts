// Reading the body of a node:http request in pieces, and within its limit.
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { expect, it } from "vitest";
import { heldBytes } from "../../../protocol/src/testing/held-bytes.ts";
import { type BodyReceiver, readBody } from "./read-body.ts";

function receiver(maxBytes: number, maxHeld: number) {
  const seen: string[] = [];
  const held: number[] = [];
  const body: BodyReceiver = {
    maxBytes,
    onHeld(bytes) {
      if (held.length < 10) held.push(bytes);
      return bytes < maxHeld;
    },
    onText: (text) => seen.push(text),
    onTooLarge: () => seen.push("too large"),
    onBroken: () => seen.push("broken"),
  };
  return { seen, held, body };
}

function begin(maxBytes: number, maxHeld = Number.POSITIVE_INFINITY) {
  const request = Object.assign(new EventEmitter(), { pause() {} });
  const { seen, held, body } = receiver(maxBytes, maxHeld);
  readBody(request as unknown as IncomingMessage, body);
  return { request, seen, held };
}

it("the text of a body does not depend on how it is split", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(200)), (text, cuts) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const { request, seen } = begin(10_000);
      for (const [index, place] of places.slice(1).entries())
        request.emit("data", bytes.subarray(places[index], place));
      request.emit("end");
      expect(seen).toEqual([bytes.toString()]);
    }),
  );
});

it("a body is rejected as soon as its pieces exceed the limit, and not read further", () => {
  const { request, seen } = begin(3);
  for (const piece of ["ab", "c", "d", "e"]) request.emit("data", Buffer.from(piece));
  request.emit("end");
  expect(seen).toEqual(["too large"]);
});

it("the bytes held of a body of 4 KiB or more are reported, and reading stops on request", () => {
  const { request, seen, held } = begin(100_000, 8_000);
  for (let count = 0; count < 5; count++) request.emit("data", Buffer.alloc(3_000));
  request.emit("end");
  expect([held, seen]).toEqual([[6_000, 9_000], []]);
});

it("a body in pieces of one byte takes at most three times its size", async () => {
  const length = 2_100_000;
  const bytes = await heldBytes(() => {
    const { request } = begin(4 * 1024 * 1024);
    for (let sent = 0; sent < length; sent++) request.emit("data", Buffer.from("a"));
    return request;
  });
  expect(bytes).toBeLessThan(3 * length);
});
