// Answers the tool `deep` with a result that is nested 20,000 deep. On stdio it is of 2025-11-25; with the argument `http`
// also at /json and /stream, of 2024-11-05 at /sse, of 2026-07-28 at /modern.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const nested = "[".repeat(20_000) + "]".repeat(20_000);
const capabilities = { tools: {} };
const results = {
  initialize: ({ protocolVersion }) => {
    return { protocolVersion, capabilities, serverInfo: { name: "deep", version: "1.0.0" } };
  },
  ping: () => ({}),
  "tools/list": () => ({ tools: ["deep", "fine"].map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }], structuredContent: { name } }),
};
const modernResults = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "public" }),
  "tools/list": () => ({ ...results["tools/list"](), ttlMs: 0, cacheScope: "public" }),
  "tools/call": results["tools/call"],
};

/** Undefined where no answer is due. */
function answer(text, isModern) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return undefined;
  const result = (isModern ? modernResults : results)[method]?.(params);
  if (!result) return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: `no ${method}` } });
  if (isModern) result.resultType = "complete";
  return JSON.stringify({ jsonrpc: "2.0", id, result }).replace('{"name":"deep"}', `{"a":${nested}}`);
}

if (process.argv[2] !== "http") {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const text = answer(line, false);
    if (text) process.stdout.write(`${text}\n`);
  });
} else {
  const eventStream = { "content-type": "text/event-stream" };
  let standing;
  const server = createServer(async (request, response) => {
    const { url, method } = request;
    if (url === "/sse" && method === "GET") {
      standing = response.writeHead(200, eventStream);
      return standing.write("event: endpoint\ndata: /post\n\n");
    }
    if (url === "/sse" || method !== "POST") return response.writeHead(405).end();
    const text = answer(Buffer.concat(await request.toArray()).toString(), url === "/modern");
    if (text && url === "/post") standing.write(`data: ${text}\n\n`);
    if (!text || url === "/post") return response.writeHead(202).end();
    if (url === "/stream") return response.writeHead(200, eventStream).end(`data: ${text}\n\n`);
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
}
