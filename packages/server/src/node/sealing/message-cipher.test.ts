import type { JsonObject } from "@lethe/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createKeyRing } from "../../seal/key-ring.ts";
import { createMessageCipher, type MessageCipherOptions } from "./message-cipher.ts";

const [keyA, keyB] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64url"));
const bounds = { purpose: "test", maxBytes: 10_000 };
const message = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()) as fc.Arbitrary<JsonObject>;

test("opens a message unchanged for its recipient", async () => {
  const [one, other] = [await open(`a:${keyA}`), await open(`a:${keyA}`)];
  fc.assert(
    fc.property(message, fc.string(), (sent, to) => {
      expect(JSON.stringify(other.open(one.seal(sent, to), to))).toBe(JSON.stringify(sent));
      expect(other.open(one.seal(sent, to), `${to}x`)).toBeUndefined();
    }),
  );
});

test("does not open text with another key, a changed byte, a truncation or arbitrary text", async () => {
  const one = await open(`a:${keyA}`);
  const sealed = one.seal({ text: "secret" }, "r");
  expect(sealed).not.toContain("secret");
  expect((await open(`a:${keyB}`)).open(sealed, "r")).toBeUndefined();
  expect((await open(`b:${keyA}`)).open(sealed, "r")).toBeUndefined();
  const bytes = Buffer.from(sealed.slice(2), "base64");
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(one.open(`a.${changed.toString("base64")}`, "r")).toBeUndefined();
    expect(one.open(`a.${bytes.subarray(0, index).toString("base64")}`, "r")).toBeUndefined();
  }
  fc.assert(fc.property(fc.string(), (text) => one.open(text, "r") === undefined));
});

test("seals with the first key and opens with all, as tokens do", async () => {
  const [before, after] = [await open(`a:${keyA},b:${keyB}`), await open(`b:${keyB},a:${keyA}`)];
  expect(after.open(before.seal({ n: 1 }, "r"), "r")).toEqual({ n: 1 });
  expect(before.open(after.seal({ n: 2 }, "r"), "r")).toEqual({ n: 2 });
});

test("throws RangeError for a message that is too large", async () => {
  const { seal } = await open(`a:${keyA}`);
  expect(() => seal({ text: "x".repeat(10_000) }, "r")).toThrow(RangeError);
});

test("does not open text sealed for another purpose", async () => {
  const one = await open(`a:${keyA}`);
  const other = await open(`a:${keyA}`, { purpose: "another" });
  expect(other.open(one.seal({ n: 1 }, "r"), "r")).toBeUndefined();
});

test("does not open text older than ttlMs", async () => {
  const [lasting, brief] = [await open(`a:${keyA}`), await open(`a:${keyA}`, { ttlMs: 1_000 })];
  vi.useFakeTimers({ toFake: ["Date"] });
  const sealed = brief.seal({ n: 1 }, "r");
  vi.advanceTimersByTime(999);
  expect(brief.open(sealed, "r")).toEqual({ n: 1 });
  vi.advanceTimersByTime(1);
  expect(brief.open(sealed, "r")).toBeUndefined();
  expect(lasting.open(sealed, "r")).toEqual({ n: 1 });
  vi.useRealTimers();
});

function open(keys: string, options: Partial<MessageCipherOptions> = {}) {
  return createMessageCipher(createKeyRing(keys), { ...bounds, ...options });
}
