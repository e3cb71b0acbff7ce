// Reading the body of a web Request within bounds.
import { expect, it, vi } from "vitest";
import { readText } from "./read-text.ts";

const limits = { maxBytes: 10, timeoutMs: 1_000 };

it("no body is an empty text, and text survives being cut inside a character", async () => {
  expect(await readText(null, limits)).toEqual({ text: "" });
  const bytes = new TextEncoder().encode("aé😀");
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    },
  });
  expect(await readText(body, limits)).toEqual({ text: "aé😀" });
});

it("what is too large or too slow is not read to its end", async () => {
  const cancel = vi.fn();
  const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(4)), cancel });
  expect(await readText(endless, limits)).toBe("too large");
  expect(cancel).toHaveBeenCalledOnce();
  const silent = new ReadableStream<Uint8Array>({ cancel });
  expect(await readText(silent, { ...limits, timeoutMs: 5 })).toBe("too slow");
  expect(cancel).toHaveBeenCalledTimes(2);
});

it("a body that breaks is an error", async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("reset")) });
  await expect(readText(broken, limits)).rejects.toThrow("reset");
});
