// Tests of the transports to try for a target.
import { describe, expect, it } from "vitest";
import { toHttpTransports, toStdioTransports } from "./target-transports.ts";

describe("toHttpTransports", () => {
  it.each([
    ["http://x/mcp", "http://x/sse"],
    ["http://x/a/mcp/?k=1", "http://x/a/sse?k=1"],
    ["http://x/sse", "http://x/sse"],
    ["http://x/other", "http://x/other"],
    ["http://x/mcp-server", "http://x/mcp-server"],
  ])("looks for HTTP+SSE of %s at %s", (url, sse) => {
    const transports = toHttpTransports({ url, headers: { a: "b" } });
    expect(transports.map(({ id }) => id)).toEqual(["modern-http", "legacy-http", "http-sse"]);
    expect(transports.map((transport) => transport.url)).toEqual([url, url, sse]);
    expect(transports).toMatchObject([{ headers: { a: "b" } }, { headers: { a: "b" } }, { headers: { a: "b" } }]);
  });

  it.each(["ftp://x", "localhost:3000", ""])("rejects the target URL %j", (url) => {
    expect(() => toHttpTransports({ url })).toThrow("a target must be an http or https URL");
  });
});

it("toStdioTransports returns a transport for each era of a command", () => {
  const target = { command: "node", args: ["x"] };
  expect(toStdioTransports(target)).toMatchObject([
    { id: "modern-stdio", era: "modern", target },
    { id: "legacy-stdio", era: "legacy", target },
  ]);
});
