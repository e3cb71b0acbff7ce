import { describe, expect, it } from "vitest";
import { createKeyRing } from "./key-ring.ts";

const keyA = Buffer.alloc(32, 1).toString("base64url");
const keyB = Buffer.alloc(32, 2).toString("base64url");

describe("createKeyRing", () => {
  it("seals with the first key of a comma-separated text and finds all keys", () => {
    const ring = createKeyRing(`new:${keyA}, old:${keyB}`);
    expect(ring.first.id).toBe("new");
    expect(ring.find("old")?.id).toBe("old");
    expect(ring.find("other")).toBeUndefined();
    expect(ring.isEphemeral).toBe(false);
  });

  it("seals with the first key of a list and finds all keys", () => {
    expect(createKeyRing([{ id: "k", key: keyA }]).first.id).toBe("k");
  });

  it("creates a key and reports it when no keys are given", async () => {
    const [one, other] = [createKeyRing(), createKeyRing()];
    expect(one.isEphemeral).toBe(true);
    expect(one.first.id).not.toBe(other.first.id);
    expect((await one.first.cryptoKey()).extractable).toBe(false);
  });

  it("imports each key once", async () => {
    const { first } = createKeyRing(`k:${keyA}`);
    expect(await first.cryptoKey()).toBe(await first.cryptoKey());
  });

  it.each([
    ["", "key list (LETHE_KEYS, or the option keys): at least one key expected, got none"],
    [`a:${keyA},`, 'key list (LETHE_KEYS, or the option keys), entry 2: "id:key" expected'],
    [keyA, 'key list (LETHE_KEYS, or the option keys), entry 1: "id:key" expected'],
    [`a:b:${keyA}`, 'key list (LETHE_KEYS, or the option keys), entry 1: "id:key" expected'],
    [
      `a b:${keyA}`,
      'key list (LETHE_KEYS, or the option keys), entry 1: an id of 1 to 32 letters, digits, "_" or "-" expected',
    ],
    [
      `:${keyA}`,
      'key list (LETHE_KEYS, or the option keys), entry 1: an id of 1 to 32 letters, digits, "_" or "-" expected',
    ],
    [
      `a:${keyA},a:${keyB}`,
      "key list (LETHE_KEYS, or the option keys), entry 2: an id that no other entry has expected",
    ],
    [
      `a:${keyA},b:${keyB.slice(0, 42)}+`,
      "key list (LETHE_KEYS, or the option keys), entry 2: a key of 32 bytes as base64url without padding expected, got other characters",
    ],
    [
      `a:${keyB.slice(0, 40)}`,
      "key list (LETHE_KEYS, or the option keys), entry 1: a key of 32 bytes as base64url without padding expected, got 30 bytes",
    ],
    [
      `a:${keyB.slice(0, 42)}=`,
      "key list (LETHE_KEYS, or the option keys), entry 1: a key of 32 bytes as base64url without padding expected, got other characters",
    ],
  ])("%# rejects a bad key list without repeating it in the error", (text, message) => {
    expect(() => createKeyRing(text)).toThrow(new Error(message));
  });

  it("rejects more than 32 keys", () => {
    const keys = Array.from({ length: 33 }, (_, index) => ({ id: `k${index}`, key: keyA }));
    expect(() => createKeyRing(keys)).toThrow("at most 32 keys expected, got 33");
  });

  it("derives a separate key for each purpose, the same in every process", async () => {
    const [one, other] = [createKeyRing(`a:${keyA}, b:${keyB}`), createKeyRing(`a:${keyA}`)];
    const derived = await Promise.all(one.keys.flatMap((key) => [key.derive("x"), key.derive("y")]));
    expect(new Set(derived.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(4);
    expect(derived[0]).toEqual(await other.first.derive("x"));
    expect(derived[0]).not.toEqual(new Uint8Array(32).fill(1));
    expect(derived[0]).toHaveLength(32);
  });

  it("exposes no key to other code", () => {
    const ring = createKeyRing(`k:${keyA}`);
    expect(JSON.stringify([ring, ring.first])).not.toContain(keyA);
  });
});
