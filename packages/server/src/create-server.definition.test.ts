// Some platforms forbid random values, timers, clocks and I/O while modules load, where authors define their servers.
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAuthenticator } from "./auth.ts";
import { createServer } from "./index.ts";
import { accessLog, concurrencyLimit, rateLimit, timeout } from "./middleware.ts";

const noop = { handler: () => "" };

function forbid(name: string): () => never {
  return () => {
    throw new Error(`${name} is not allowed while modules load`);
  };
}

/** Rejects what workerd rejects in the global scope, and reading a clock, which it freezes. */
function forbidEffects(): void {
  vi.spyOn(crypto, "getRandomValues").mockImplementation(forbid("getRandomValues"));
  vi.spyOn(crypto, "randomUUID").mockImplementation(forbid("randomUUID"));
  vi.spyOn(Math, "random").mockImplementation(forbid("Math.random"));
  vi.spyOn(Date, "now").mockImplementation(forbid("Date.now"));
  vi.spyOn(performance, "now").mockImplementation(forbid("performance.now"));
  for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch"]) vi.stubGlobal(name, forbid(name));
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the definition of a server", () => {
  const create = () => createServer({ name: "s", version: "1" });

  it.each<[string, () => unknown, string]>([
    [
      "a rule that is no function",
      () => create().tool("a", { ...noop, visible: "admin" as never }),
      'option "visible": a function',
    ],
    ["tags that are no list", () => create().tool("a", { ...noop, tags: "admin" as never }), 'option "tags": an array'],
    [
      "scopes that are no list",
      () => create().tool("a", { ...noop, scopes: "admin" as never }),
      'option "scopes": an array',
    ],
    [
      "a version that is a number",
      () => create().tool("a", { ...noop, version: 2 as never }),
      'option "version": a string',
    ],
    [
      "the name of a session",
      () => create().tool("a", { ...noop, sessions: ["cart" as never] }),
      "sessions: a session expected",
    ],
    [
      "middleware that is no function",
      () => create().use("log" as never),
      'use: a function expected as middleware, or an extension with an "id", got a string',
    ],
    [
      "a method without a handler",
      () => create().method("x", undefined as never),
      'method "x": a function expected as the second',
    ],
  ])("rejects %s", (_what, define, message) => {
    expect(define).toThrow(message);
  });

  it.each([
    [{ compatibleVersions: ["1"] }, 'tool "a": compatibleVersions: this handler needs a "version" of its own'],
    [
      { version: "2", compatibleVersions: "1" as unknown as string[] },
      'tool "a": compatibleVersions: a list of versions expected, got a string',
    ],
  ])("rejects %j, which no pending call could be compared with", (options, message) => {
    const define = () => createServer({ name: "s", version: "1" }).tool("a", { ...options, handler: () => "" });
    expect(define).toThrow(message);
  });

  it("uses no random value, timer, clock or I/O", () => {
    forbidEffects();
    const auth = createAuthenticator({
      resource: "https://mcp.example.com/mcp",
      authorizationServers: ["https://id.example.com"],
      jwt: { issuer: "https://id.example.com", jwksUrl: "https://id.example.com/jwks" },
    });
    const server = createServer({ name: "s", version: "1" }, { auth })
      .tool("a", {
        task: "auto",
        inputSchema: { type: "object" },
        handler: (_, ctx) => ctx.elicitUrl("?", "https://a.example"),
      })
      .prompt("p", { handler: () => "p" })
      .resource("note://a", { handler: () => "a" })
      .resourceTemplate("note://{id}", { handler: ({ id }) => id })
      .extension("com.example/x")
      .use(timeout(1_000))
      .use(concurrencyLimit({ max: 1 }))
      .use(rateLimit({ perCaller: 1 }))
      .use(accessLog({ write: () => {} }));
    server.removeTool("a");
    expect(server.fetch).toBeTypeOf("function");
  });
});
