// A server of 2025-11-25 on stdio that puts a `state` member beside the id of each request it sends, as an early draft required.
// Its tool returns the response to its elicitation unchanged.
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const serverInfo = { name: "state", version: "1" };
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
let callId;

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const { id, method } = message;
  if (method === "initialize") {
    write({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    write({ id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
  } else if (method === "tools/call") {
    callId = id;
    const params = { message: "name?", requestedSchema };
    write({ id: 100, method: "elicitation/create", state: { a: "b" }, params });
  } else if (id === 100) {
    write({ id: callId, result: { content: [{ type: "text", text: line }] } });
  } else if (id !== undefined) {
    write({ id, error: { code: -32601, message: "method not found" } });
  }
});
