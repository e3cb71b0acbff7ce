// Reading the body of a web Request within limits.
import { expect, it, vi } from "vitest";
import { usedBytes } from "../../../protocol/src/testing/held-bytes.ts";
import { createOneByteStream } from "../../../protocol/src/testing/one-byte-stream.ts";
import { readText } from "./read-text.ts";

const limits = { maxBytes: 10, timeoutMs: 1_000 };

function requestOf(body: ReadableStream<Uint8Array> | string | null, headers: Record<string, string> = {}): Request {
  return new Request("http://s.example", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

it("a missing body is an empty text, and a text cut inside a character is read correctly", async () => {
  expect(await readText(requestOf(null), limits)).toEqual({ text: "" });
  const bytes = new TextEncoder().encode("aé😀");
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    },
  });
  expect(await readText(requestOf(body), limits)).toEqual({ text: "aé😀" });
});

it("a body that is too large or too slow is not read to its end", async () => {
  const cancel = vi.fn();
  const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(4)), cancel });
  expect(await readText(requestOf(endless), limits)).toBe("too large");
  expect(cancel).toHaveBeenCalledOnce();
  const silent = new ReadableStream<Uint8Array>({ cancel });
  expect(await readText(requestOf(silent), { ...limits, timeoutMs: 5 })).toBe("too slow");
  expect(cancel).toHaveBeenCalledTimes(2);
});

it("a body that fails is an error", async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("reset")) });
  await expect(readText(requestOf(broken), limits)).rejects.toThrow("reset");
});

it("a body of known length is read in one piece, and may also be late or fail", async () => {
  const known = { "content-length": "3" };
  const whole = requestOf("a\u00e9", known);
  expect(await readText(whole, limits)).toEqual({ text: "a\u00e9" });
  expect(await readText(requestOf(new ReadableStream(), known), { ...limits, timeoutMs: 5 })).toBe("too slow");
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("reset")) });
  await expect(readText(requestOf(broken, known), limits)).rejects.toThrow("reset");
});

it("a body with an invalid length is counted while it is read", async () => {
  expect(await readText(requestOf("more than ten bytes", { "content-length": "many" }), limits)).toBe("too large");
});

it.each([
  ["of unknown length", {}],
  ["that states its length", { "content-length": "1000000" }],
])("a body %s in pieces of one byte occupies at most four times its size", async (_, headers) => {
  const length = 1_000_000;
  const { stream, allTaken, close } = createOneByteStream(length);
  const before = await usedBytes();
  const reading = readText(requestOf(stream, headers), { maxBytes: length, timeoutMs: 60_000 });
  await allTaken;
  expect((await usedBytes()) - before).toBeLessThan(4 * length);
  close();
  expect(await reading).toEqual({ text: "a".repeat(length) });
});
