import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { requestOf } from "../../testing/fakes.ts";
import { hasKnownListShape, hasKnownShape, requirePermission } from "./known-shape.ts";

describe("a message of a later revision", () => {
  it.each<[string, JsonObject]>([
    ["server/discover", {}],
    ["tools/call", { name: "a", arguments: {}, inputResponses: {}, requestState: "s" }],
    ["resources/read", { uri: "x:y" }],
    ["prompts/list", { cursor: "1" }],
  ])("has the known shape of %s with %j", (method, params) => {
    expect(hasKnownShape(requestOf(method, params, { meta: { progressToken: 1, "a.b/c": 1 } }))).toBe(true);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["tools/call", { name: "a", target: "b" }, {}],
    ["tools/call", { name: "a", uri: "x:y" }, {}],
    ["tools/call", { name: "a" }, { "io.modelcontextprotocol/new": 1 }],
    ["tools/call", { name: "a" }, { "dev.mcp/new": 1 }],
    ["tools/call", { name: "a" }, { unprefixed: 1 }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "a" } }, {}],
    ["tools/invoke", { name: "a" }, {}],
    ["toString", {}, {}],
  ])("has another shape: %s with %j and _meta %j", (method, params, meta) => {
    expect(hasKnownShape(requestOf(method, params, { meta }))).toBe(false);
  });

  it("has another shape as a notification", () => {
    expect(hasKnownShape({ ...requestOf("tools/list"), isNotification: true })).toBe(false);
  });
});

it("a list with any member besides its items has another shape", () => {
  const list = { resultType: "complete", tools: [], nextCursor: "2", ttlMs: 1, cacheScope: "public", _meta: {} };
  expect(hasKnownListShape("tools/list", list)).toBe(true);
  expect(hasKnownListShape("tools/list", { ...list, groups: [] })).toBe(false);
  expect(hasKnownListShape("tools/list", { ...list, tools: {} })).toBe(false);
  expect(hasKnownListShape("prompts/list", list)).toBe(false);
});

it("a target that the caller may not use is unknown", () => {
  const may = { tool: (name: string) => name === "a", prompt: () => false, resource: () => false };
  expect(() => requirePermission(requestOf("tools/call", { name: "a" }), may)).not.toThrow();
  for (const [method, params] of [
    ["tools/call", { name: "b" }],
    ["tools/call", {}],
    ["prompts/get", { name: "a" }],
    ["resources/read", { uri: "a" }],
  ] as const) {
    expect(() => requirePermission(requestOf(method, params), may)).toThrow(expect.objectContaining({ code: -32602 }));
  }
});
