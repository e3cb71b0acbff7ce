// Scopes of operations (G-4, G-5).
import { invalidParams, type McpError } from "@lethe/protocol";
import { expect, test } from "vitest";
import { requiredScopesOf, requireScopes } from "./scopes.ts";

function thrownBy(run: () => void): McpError {
  try {
    run();
  } catch (error) {
    return error as McpError;
  }
  return expect.unreachable("nothing thrown");
}

test("an error about missing scopes names all required scopes, not only the missing ones (G-4)", () => {
  const error = thrownBy(() => requireScopes({ id: "alice", scopes: ["read"] }, ["read", "write"]));
  expect(requiredScopesOf(error)).toEqual(["read", "write"]);
  expect(error.message).toBe("insufficient scope: read write needed");
});

test("treats a caller without scopes as having none", () => {
  expect(() => requireScopes({ id: "alice" }, ["read"])).toThrow("insufficient scope");
  expect(() => requireScopes({ id: "alice" }, [])).not.toThrow();
});

test("checks no scopes without authentication", () => {
  expect(() => requireScopes(undefined, ["read"])).not.toThrow();
});

test("derives no scopes from other errors", () => {
  expect(requiredScopesOf(invalidParams("x", { requiredScopes: ["a"] }))).toBeUndefined();
});
