// The stdio example, asked over a pair of streams.
import { PassThrough } from "node:stream";
import { metaKey, modelRevision } from "@lethe/protocol";
import { serveStdio } from "@lethe/server/node";
import { describe, expect, it } from "vitest";
import { server } from "./stdio.ts";

describe("stdio", () => {
  it("a stdio server answers each line with a line, and ends with its input (C-16)", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const serving = serveStdio(server, { input, output });
    const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
    const params = { name: "greet", arguments: {}, _meta };
    input.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
    await serving;
    const [line, ...more] = String(output.read()).trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(JSON.parse(line ?? "")).toMatchObject({ id: 1, result: { content: [{ text: "Hello from stdio" }] } });
  });
});
