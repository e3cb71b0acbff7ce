// A server that counts its calls, on the official SDK. It writes one line per call that begins to a file that all counters share,
// so that a reader of the file sees each execution and the process or session that ran it.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const text = { type: "string" };
const tools = [
  tool("count", "Counts this call", { id: text }),
  tool("ask", "Counts this call after the user has answered a question", { id: text }),
  tool("slow", "Counts this call and takes some time", { id: text, ms: { type: "integer" } }),
];

/** One counter with its own state, for one process or one session. */
export function createCounter(logFile) {
  const instance = randomUUID();
  const write = (line) => appendFileSync(logFile, `${JSON.stringify({ instance, pid: process.pid, ...line })}\n`);
  let n = 0;
  const server = new Server({ name: "counter", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { id, ms } = params.arguments;
    n += 1;
    const mine = n;
    write({ event: "begin", id, n: mine });
    if (params.name === "ask") {
      const answer = await server.elicitInput(question(id), { relatedRequestId: extra.requestId, timeout: 600_000 });
      write({ event: "answered", id, answer: answer.content?.answer });
    }
    if (params.name === "slow") await sleep(ms);
    return { content: [{ type: "text", text: JSON.stringify({ instance, n: mine, id }) }] };
  });
  write({ event: "open" });
  return server;
}

function question(id) {
  const requestedSchema = { type: "object", properties: { answer: text }, required: ["answer"] };
  return { mode: "form", message: `question of ${id}`, requestedSchema };
}

function tool(name, description, properties) {
  return { name, description, inputSchema: { type: "object", properties, required: Object.keys(properties) } };
}
