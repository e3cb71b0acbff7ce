// Which export of a module is the server.
import { createServer } from "@lethe/server";
import { describe, expect, it } from "vitest";
import { describeMissing, findServer } from "./find-server.ts";

const server = createServer({ name: "one", version: "1" });
const other = createServer({ name: "two", version: "1" });

describe("the server of a module", () => {
  it.each([
    ["its default export", { default: server, other }],
    ["its only named export that is a server", { server, port: 3000 }],
    ["what its default export returns", { default: async () => server }],
    ["what its only function named like createNotesServer returns", { createNotesServer: () => server, add: () => 1 }],
    ["a member of what a CommonJS module exports", { default: { server } }],
    ["the one whose fetch a Worker exports", { default: { fetch: server.fetch } }],
  ])("is %s", async (_name, exported) => {
    expect(await findServer(exported, [other, server])).toBe(server);
  });

  it("is ambiguous when a module exports several", async () => {
    await expect(findServer({ server, other }, [])).rejects.toThrow(
      "exports several servers (server, other): export the one to run as default",
    );
  });

  it("is missing in a module that exports something else, and the message names what it exports", async () => {
    const exported = { a: 1, B: class {} };
    expect(await findServer(exported, [])).toBeUndefined();
    expect(describeMissing(exported)).toMatch(/It exports a \(number\), B \(class\), and called neither serve/);
  });

  it("is missing in a module of the official SDK, and the message names the ways to run it", () => {
    class McpServer {
      connect(): void {}
    }
    expect(describeMissing({ app: new McpServer() })).toContain("app, a server of the official SDK");
  });
});
