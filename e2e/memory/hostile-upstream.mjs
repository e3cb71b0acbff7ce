// An MCP server of 2026-07-28 whose results cost their reader as much memory as possible. Prints where it listens.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const mega = 1024 * 1024;
/** By tool: a piece of an event stream, how often it is sent, and what precedes and follows. */
const streams = {
  empty_lines: { piece: "data:\n".repeat(10_000), times: 1_700 },
  short_lines: { piece: "data:a\n".repeat(10_000), times: 900 },
  one_line: { first: "data: ", piece: "x".repeat(64 * 1024), times: 17 * 16 },
  one_event: { first: "data: ", piece: "x".repeat(64 * 1024), times: 15 * 16, last: "\n\n" },
  // Valid JSON that takes twenty times its size when it is parsed.
  many_objects: {
    first: 'data: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"structuredContent":[{}',
    piece: ",{}".repeat(mega / 64),
    times: 15 * 21,
    last: "]}}\n\n",
  },
};
const results = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "public",
  }),
  "tools/list": () => ({
    tools: [...Object.keys(streams), "fine"].map((name) => ({ name, inputSchema: { type: "object" } })),
    ttlMs: 0,
    cacheScope: "public",
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "fine" }] }),
};

function* piecesOf({ first = "", piece, times, last = "" }) {
  if (first !== "") yield first;
  for (let sent = 0; sent < times; sent += 1) yield piece;
  if (last !== "") yield last;
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  const { id, method, params } = body === "" ? {} : JSON.parse(body);
  const hostile = method === "tools/call" ? streams[params.name] : undefined;
  if (hostile) {
    const first = hostile.first?.replace('"id":1', `"id":${JSON.stringify(id)}`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    // The reader aborts at its limit.
    return pipeline(Readable.from(piecesOf({ ...hostile, first })), response).catch(() => {});
  }
  const result = results[method]?.();
  const answer = result
    ? { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: `no ${method}` } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
