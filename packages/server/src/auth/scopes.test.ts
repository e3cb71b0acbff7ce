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

test("a missing scope names all that the operation needs, not only what is missing (G-4)", () => {
  const error = thrownBy(() => requireScopes({ id: "alice", scopes: ["read"] }, ["read", "write"]));
  expect(requiredScopesOf(error)).toEqual(["read", "write"]);
  expect(error.message).toBe("insufficient scope: read write needed");
});

test("a caller without any scopes has none", () => {
  expect(() => requireScopes({ id: "alice" }, ["read"])).toThrow("insufficient scope");
  expect(() => requireScopes({ id: "alice" }, [])).not.toThrow();
});

test("without authentication there is nothing to check", () => {
  expect(() => requireScopes(undefined, ["read"])).not.toThrow();
});

test("other errors ask for no scopes", () => {
  expect(requiredScopesOf(invalidParams("x", { requiredScopes: ["a"] }))).toBeUndefined();
});
