// Sealed handles: what opens them, and what does not.
import { describe, expect, it } from "vitest";
import { createKeyRing } from "../seal/key-ring.ts";
import { createSeal } from "../seal/seal.ts";
import { createSessionHandles, type SessionHandleOptions } from "./session-handle.ts";

const keyA = `a:${Buffer.alloc(32, 1).toString("base64url")}`;
const keyB = `b:${Buffer.alloc(32, 2).toString("base64url")}`;
const ring = createKeyRing(keyA);
const cart = (keys = ring, options: Partial<SessionHandleOptions> = {}) =>
  createSessionHandles(keys, {
    ...{ server: "shop", name: "cart", ttlMs: 60_000, maxBytes: 1_000, now: Date.now },
    ...options,
  });
const content = { value: { items: ["tea"] } };
const refused = {
  name: "ToolError",
  message: "the cart_handle is invalid or has expired: call without it to begin a new cart",
};

describe("handles of sessions", () => {
  it("open in another process that has the keys", async () => {
    const handle = await cart().seal(content, "ann");
    expect(await cart(createKeyRing(keyA)).open(handle, "ann")).toEqual(content);
  });

  it("do not open for another caller, nor for an anonymous one", async () => {
    const handle = await cart().seal(content, "ann");
    await expect(cart().open(handle, "bob")).rejects.toMatchObject(refused);
    await expect(cart().open(handle, undefined)).rejects.toMatchObject(refused);
  });

  it("do not open in another server or session", async () => {
    const handle = await cart(ring, { server: "other" }).seal(content, "ann");
    await expect(cart().open(handle, "ann")).rejects.toMatchObject(refused);
    const order = await cart(ring, { name: "order" }).seal(content, "ann");
    await expect(cart().open(order, "ann")).rejects.toMatchObject(refused);
  });

  it("do not open when forged, truncated, of another type or made of a requestState", async () => {
    const handle = await cart().seal(content, "ann");
    const binding = { callerId: "ann", method: "tools/call", target: "cart", arguments: "" };
    const token = await createSeal(ring, { server: "shop" }).seal(content, binding);
    for (const other of ["", "cart", handle.slice(0, -1), `${handle}A`, token, 1, null, {}]) {
      await expect(cart().open(other, "ann")).rejects.toMatchObject(refused);
    }
  });

  it("expire after their lifetime", async () => {
    let time = 0;
    const handles = cart(ring, { ttlMs: 1_000, now: () => time });
    const handle = await handles.seal(content, "ann");
    time = 999;
    expect(await handles.open(handle, "ann")).toEqual(content);
    time = 1_000;
    await expect(handles.open(handle, "ann")).rejects.toMatchObject(refused);
  });

  it("open while their key is in the ring, and not after it was removed", async () => {
    const handle = await cart().seal(content, "ann");
    expect(await cart(createKeyRing(`${keyB},${keyA}`)).open(handle, "ann")).toEqual(content);
    await expect(cart(createKeyRing(keyB)).open(handle, "ann")).rejects.toMatchObject(refused);
  });
});
