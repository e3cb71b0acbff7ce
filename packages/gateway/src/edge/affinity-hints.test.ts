import type { Caller } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { createAffinityHints, createAffinityKey } from "./affinity-hints.ts";

const keys = `k1:${"A".repeat(43)}`;
const ann: Caller = { id: "key ann", scopes: [] };

async function open(settings: GatewaySettings = {}, given = keys, hasReplicas = true) {
  const key = createAffinityKey(given, hasReplicas);
  await vi.waitFor(() => expect(key.secret).toBeDefined());
  const hints = createAffinityHints(key, settings);
  return (caller?: Caller, headers: Record<string, string> = {}) => hints?.((name) => headers[name], caller);
}

describe("for an authenticated caller", () => {
  it("each replica gives the same hint, which contains nothing of the caller's id", async () => {
    const [one, other] = [await open(), await open()];
    const hint = one(ann)?.["Lethe-Affinity"];
    expect(hint).toMatch(/^[\w-]{16}$/);
    expect(other(ann)).toEqual({ "Lethe-Affinity": hint });
    expect(one({ ...ann, id: "key bob" })).not.toEqual({ "Lethe-Affinity": hint });
  });

  it("a deployment with other keys gives another hint", async () => {
    const [one, other] = [await open(), await open({}, `k1:${"E".repeat(43)}`)];
    expect(one(ann)).not.toEqual(other(ann));
  });

  it("a request that brings its hint gets none", async () => {
    const hints = await open();
    const hint = hints(ann)?.["Lethe-Affinity"] as string;
    expect(hints(ann, { "lethe-affinity": hint })).toBeUndefined();
  });

  it("a request that brings the hint of another caller gets its own", async () => {
    const hints = await open();
    const foreign = hints({ ...ann, id: "key bob" })?.["Lethe-Affinity"] as string;
    expect(hints(ann, { "lethe-affinity": foreign })).toEqual(hints(ann));
  });
});

it("more callers than are remembered still get their own hints", async () => {
  const hints = await open();
  const before = hints(ann)?.["Lethe-Affinity"];
  const others = Array.from({ length: 2_500 }, (_, index) => hints({ ...ann, id: `key ${index}` })?.["Lethe-Affinity"]);
  expect(new Set([before, ...others]).size).toBe(2_501);
  expect(hints(ann)?.["Lethe-Affinity"]).toBe(before);
});

describe("for an anonymous client", () => {
  it("each new client gets a random hint, and keeps the one that it returns", async () => {
    const hints = await open();
    const hint = hints()?.["Lethe-Affinity"] as string;
    expect(hints()).not.toEqual({ "Lethe-Affinity": hint });
    expect(hints(undefined, { "lethe-affinity": hint })).toBeUndefined();
  });

  it("a value that is no hint is replaced and not repeated", async () => {
    const hints = await open();
    const hint = hints(undefined, { "lethe-affinity": "x".repeat(5_000) })?.["Lethe-Affinity"];
    expect(hint).toMatch(/^[\w-]{16}$/);
  });
});

describe("as a cookie", () => {
  it("the hint is also a cookie that scripts cannot read and other sites do not send", async () => {
    const hints = await open({ affinityHints: "cookie" });
    const { "Lethe-Affinity": hint, "Set-Cookie": cookie } = hints(ann) ?? {};
    expect(cookie).toBe(`lethe_affinity=${hint}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict`);
    expect(hints(ann, { cookie: `theme=dark; lethe_affinity=${hint}` })).toBeUndefined();
  });

  it("the cookie is only for TLS where callers use TLS", async () => {
    const behindTls = await open({ affinityHints: "cookie", publicUrl: "https://mcp.example.com/mcp" });
    expect(behindTls(ann)?.["Set-Cookie"]).toMatch(/; Secure$/);
    const plain = await open({ affinityHints: "cookie" });
    expect(plain(ann, { "x-forwarded-proto": "https" })?.["Set-Cookie"]).toMatch(/; Secure$/);
  });
});

it("responses have hints where replicas share sessions, unless the settings say otherwise", async () => {
  expect((await open({}, keys, false))(ann)).toBeUndefined();
  expect((await open({ affinityHints: "none" }))(ann)).toBeUndefined();
  expect((await open({ affinityHints: "header" }, keys, false))(ann)).toBeDefined();
});
