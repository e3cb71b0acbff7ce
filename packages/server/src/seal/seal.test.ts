import { errorCode, type JsonObject } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyRing } from "./key-ring.ts";
import { type Binding, createSeal } from "./seal.ts";

const keyA = Buffer.alloc(32, 1).toString("base64url");
const keyB = Buffer.alloc(32, 2).toString("base64url");
const ring = createKeyRing(`a:${keyA}`);
const binding: Binding = { callerId: "ann", method: "tools/call", target: "resolve_bug", arguments: "{}" };
const refused = { name: "McpError", code: errorCode.invalidParams, message: "invalid or expired requestState" };
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
const anyBinding: fc.Arbitrary<Binding> = fc.record({
  callerId: fc.option(fc.string(), { nil: undefined }),
  method: fc.string(),
  target: fc.string({ unit: "binary" }),
  arguments: fc.string(),
});

describe("sealed tokens", () => {
  it("a token opens to the JSON that was sealed (E-28)", async () => {
    const { seal, open } = createSeal(ring, { server: "s" });
    await fc.assert(
      fc.asyncProperty(jsonObject, anyBinding, async (payload, binding) => {
        const token = await seal(payload, binding);
        expect(JSON.stringify(await open(token, { ...binding }))).toBe(JSON.stringify(payload));
      }),
    );
  });

  it("a token does not open with any bit flipped (E-27)", async () => {
    const { seal, open } = createSeal(ring, { server: "s" });
    const token = await seal({ step: 1 }, binding);
    for (let index = 0; index < token.length; index += 1) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const flipped = String.fromCharCode(token.charCodeAt(index) ^ bit);
        const tampered = token.slice(0, index) + flipped + token.slice(index + 1);
        await expect(open(tampered, binding)).rejects.toMatchObject(refused);
      }
    }
  });

  it("a token does not open with anything appended or cut off (E-27)", async () => {
    const { seal, open } = createSeal(ring, { server: "s" });
    const token = await seal({ step: 1 }, binding);
    const others = [`${token}-TAMPERED`, `${token}.x`, `${token}=`, ` ${token}`, token.slice(0, -1), token.slice(2)];
    for (const other of others) await expect(open(other, binding)).rejects.toMatchObject(refused);
  });

  it("reports garbage like a forged token", async () => {
    const { open } = createSeal(ring, { server: "s" });
    const nearly = fc.string({ unit: fc.constantFrom("1", ".", "a", "A", "_"), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), nearly), async (token) => {
        await expect(open(token, binding)).rejects.toMatchObject(refused);
      }),
    );
  });

  it.each<[string, Partial<Binding>]>([
    ["caller", { callerId: "bob" }],
    ["caller, now anonymous", { callerId: undefined }],
    ["method", { method: "prompts/get" }],
    ["target", { target: "delete_all" }],
    ["arguments", { arguments: '{"a":1}' }],
  ])("a token does not open for another %s (E-28)", async (_, change) => {
    const { seal, open } = createSeal(ring, { server: "s" });
    const token = await seal({ step: 1 }, binding);
    await expect(open(token, { ...binding, ...change })).rejects.toMatchObject(refused);
  });

  it("a token does not open for any other binding (E-28)", async () => {
    const { seal, open } = createSeal(ring, { server: "s" });
    await fc.assert(
      fc.asyncProperty(anyBinding, anyBinding, async (mine, other) => {
        fc.pre(JSON.stringify(mine) !== JSON.stringify(other));
        await expect(open(await seal({}, mine), other)).rejects.toMatchObject(refused);
      }),
    );
  });

  it("a token does not open at another server with the same keys", async () => {
    const token = await createSeal(ring, { server: "s" }).seal({}, binding);
    await expect(createSeal(ring, { server: "t" }).open(token, binding)).rejects.toMatchObject(refused);
  });

  it("a token opens on another machine with the same keys", async () => {
    const token = await createSeal(ring, { server: "s" }).seal({ step: 1 }, binding);
    const elsewhere = createSeal(createKeyRing(`a:${keyA}`), { server: "s" });
    expect(await elsewhere.open(token, binding)).toEqual({ step: 1 });
  });

  it("a token does not open with another key, even under the same id", async () => {
    const token = await createSeal(ring, { server: "s" }).seal({}, binding);
    for (const keys of [`a:${keyB}`, `b:${keyA}`, undefined]) {
      const other = createSeal(createKeyRing(keys), { server: "s" });
      await expect(other.open(token, binding)).rejects.toMatchObject(refused);
    }
  });

  it("a token opens as long as its key is in the ring, at any position (E-28)", async () => {
    const token = await createSeal(createKeyRing(`a:${keyA}`), { server: "s" }).seal({ step: 1 }, binding);
    const during = createSeal(createKeyRing(`b:${keyB},a:${keyA}`), { server: "s" });
    expect(await during.open(token, binding)).toEqual({ step: 1 });
    expect(await during.seal({}, binding)).toMatch(/^1\.b\./);
    const after = createSeal(createKeyRing(`b:${keyB}`), { server: "s" });
    await expect(after.open(token, binding)).rejects.toMatchObject(refused);
  });

  it("a token expires after its time to live, 10 minutes by default (E-28)", async () => {
    let time = 1_000;
    const { seal, open } = createSeal(ring, { server: "s", now: () => time });
    const token = await seal({}, binding);
    time += 599_999;
    expect(await open(token, binding)).toEqual({});
    time += 1;
    await expect(open(token, binding)).rejects.toMatchObject(refused);
  });

  it("a token expires earlier where the time to live was lowered since", async () => {
    let time = 0;
    const now = () => time;
    const token = await createSeal(ring, { server: "s", now }).seal({}, binding);
    time = 1_000;
    const stricter = createSeal(ring, { server: "s", ttlMs: 1_000, now });
    await expect(stricter.open(token, binding)).rejects.toMatchObject(refused);
  });

  it("sealing the same value twice yields different tokens", async () => {
    const { seal } = createSeal(ring, { server: "s" });
    expect(await seal({}, binding)).not.toBe(await seal({}, binding));
  });

  it("a token hides its content", async () => {
    const { seal } = createSeal(ring, { server: "s" });
    const token = await seal({ secret: "swordfish" }, binding);
    expect(Buffer.from(token.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain("swordfish");
  });

  it("a token has the same unique id whenever it is opened (E-28)", async () => {
    const { seal, openToken } = createSeal(ring, { server: "s", now: () => 5 });
    const token = await seal({ step: 1 }, binding);
    const opened = await openToken(token, binding);
    expect(opened).toEqual({ payload: { step: 1 }, id: expect.stringMatching(/^[\w-]{16}$/), expiresAt: 600_005 });
    expect(await openToken(token, binding)).toEqual(opened);
    expect((await openToken(await seal({ step: 1 }, binding), binding)).id).not.toBe(opened.id);
    await expect(openToken(token, { ...binding, callerId: "bob" })).rejects.toMatchObject(refused);
  });

  it("rejects a payload above the limit, counted in bytes of JSON", async () => {
    const { seal, open } = createSeal(ring, { server: "s", maxBytes: 20 });
    const largest = { text: "ééé123" };
    expect(await open(await seal(largest, binding), binding)).toEqual(largest);
    await expect(seal({ text: "éééé12" }, binding)).rejects.toThrow(
      new RangeError("sealed state: at most 20 bytes expected, got 21"),
    );
  });

  it("opens the largest payload under the longest key id", async () => {
    const longId = "k".repeat(32);
    const { seal, open } = createSeal(createKeyRing(`${longId}:${keyA}`), { server: "s" });
    const payload = { text: "x".repeat(65_536 - '{"text":""}'.length) };
    expect(await open(await seal(payload, binding), binding)).toEqual(payload);
  });

  it("rejects a token that is longer than its own limit allows, even from a server with a larger limit", async () => {
    const token = await createSeal(ring, { server: "s" }).seal({ text: "x".repeat(1_000) }, binding);
    const { open } = createSeal(ring, { server: "s", maxBytes: 20 });
    await expect(open(token, binding)).rejects.toMatchObject(refused);
  });
});
