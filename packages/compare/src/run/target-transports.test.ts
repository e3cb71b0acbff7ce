// The transports that a server we do not know may have.
import { describe, expect, it } from "vitest";
import { toHttpTransports, toStdioTransports } from "./target-transports.ts";

describe("a server at a URL", () => {
  it.each([
    ["http://x/mcp", "http://x/sse"],
    ["http://x/a/mcp/?k=1", "http://x/a/sse?k=1"],
    ["http://x/sse", "http://x/sse"],
    ["http://x/other", "http://x/other"],
    ["http://x/mcp-server", "http://x/mcp-server"],
  ])("%s: its older transport is looked for at %s", (url, sse) => {
    const transports = toHttpTransports({ url, headers: { a: "b" } });
    expect(transports.map(({ id }) => id)).toEqual(["modern-http", "legacy-http", "http-sse"]);
    expect(transports.map((transport) => transport.url)).toEqual([url, url, sse]);
    expect(transports).toMatchObject([{ headers: { a: "b" } }, { headers: { a: "b" } }, { headers: { a: "b" } }]);
  });

  it.each(["ftp://x", "localhost:3000", ""])("%j is none", (url) => {
    expect(() => toHttpTransports({ url })).toThrow("a target must be an http or https URL");
  });
});

it("a command is started for either era", () => {
  const target = { command: "node", args: ["x"] };
  expect(toStdioTransports(target)).toMatchObject([
    { id: "modern-stdio", era: "modern", target },
    { id: "legacy-stdio", era: "legacy", target },
  ]);
});
