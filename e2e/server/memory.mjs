// The memory of a server after many calls, and after many unread changes. Prints bytes, as JSON:
//   node --expose-gc memory.mjs [calls] [streams]
import { Agent, request } from "node:http";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";

const [calls = 100_000, streams = 5_000] = process.argv.slice(2).map(Number);
const warmUp = 10_000;
const changes = 1_000;

const name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
// Answered states are remembered until they expire, at most 100,000 of them: here they would hide a leak.
const options = { onError: () => {}, singleUse: false };
const server = createServer({ name: "memory", version: "1.0.0" }, options)
  .tool("add", {
    inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    handler: ({ a }) => ({ sum: a + 1 }),
  })
  .tool("count", {
    handler(_, ctx) {
      ctx.progress(1, 2);
      ctx.log("info", "counting");
      return "counted";
    },
  })
  .tool("greet", { handler: async (_, ctx) => `hello ${(await ctx.elicit("Who?", name)).name}` })
  .tool("fail", {
    handler() {
      throw new Error("secret");
    },
  })
  .tool("wait", { handler: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)) })
  .resource("note://today", { handler: () => "a note" });

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  "io.modelcontextprotocol/logLevel": "info",
};
let lastId = 0;

/** Its headers and its body. */
function requestOf(method, params = {}) {
  const mirrored = params.name ?? params.uri;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(mirrored && { "mcp-name": mirrored }),
  };
  lastId += 1;
  const _meta = { ...meta, progressToken: lastId };
  return { headers, body: JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params: { ...params, _meta } }) };
}

const call = (tool, args = {}, more = {}) => requestOf("tools/call", { name: tool, arguments: args, ...more });
/** Repeats one of each kind of request. */
const kinds = [
  () => call("add", { a: lastId }),
  () => call("add", { a: "wrong" }),
  () => call("count"),
  () => call("greet"),
  () => call("fail"),
  () => call(`no-tool-${lastId}`),
  () => requestOf("tools/list"),
  () => requestOf("resources/read", { uri: "note://today" }),
  () => requestOf(`no/method-${lastId}`),
  () => ({ ...call("add"), body: "{" }),
];

/** Answers the elicitation of `greet`. */
async function run(send, { headers, body }) {
  const text = await send({ headers, body });
  if (!text.includes("input_required")) return;
  const { inputRequests, requestState } = JSON.parse(text).result;
  const [key] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { name: "Ada" } } };
  await send(call("greet", {}, { inputResponses, requestState }));
}

async function overFetch({ headers, body }) {
  const answer = await server.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
  return answer.text();
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const { port, close } = await serve(server, { port: 0 });

function overNode({ headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path: "/mcp", method: "POST", headers });
    sent.on("error", reject).on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      answer.on("end", () => resolve(text));
    });
    sent.end(body);
  });
}

/** A call whose client disconnects. */
async function leave() {
  const controller = new AbortController();
  const answer = server.fetch(
    new Request("http://127.0.0.1/mcp", { method: "POST", ...call("wait"), signal: controller.signal }),
  );
  setImmediate(() => controller.abort());
  await answer;
}

async function callMany(count) {
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      const next = kinds[left % kinds.length]();
      if (left % 1_000 === 0) await leave();
      else await run(left % 4 === 0 ? overNode : overFetch, next);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

async function heapBytes() {
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

await callMany(warmUp);
const before = await heapBytes();
await callMany(calls - warmUp);
const ofCalls = (await heapBytes()) - before;

const listen = { notifications: { resourceSubscriptions: ["note://today"], toolsListChanged: true } };
const open = [];
for (let count = 0; count < streams; count += 1) {
  const init = { method: "POST", ...requestOf("subscriptions/listen", listen) };
  open.push(await server.fetch(new Request("http://127.0.0.1/mcp", init)));
}
function change(count) {
  for (let times = 0; times < count; times += 1) {
    server.resourceUpdated("note://today");
    server.toolsChanged();
  }
}
// Enough to fill the buffer of a stream, so that the server has to wait.
change(changes);
const filled = await heapBytes();
change(changes);
const ofChanges = (await heapBytes()) - filled;
const ofStreams = (filled - before) / streams;
await server.close();
agent.destroy();
await close({ graceMs: 0 });
console.log(JSON.stringify({ ofCalls, ofStreams, ofChanges, open: open.length }));
