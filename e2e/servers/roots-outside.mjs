// A server of 2025-11-25 on stdin and stdout that requests roots as soon as it is initialized, when they have changed, and after
// each call of `refresh` has ended. `folders` waits for the response and returns it; `pid` names the process.
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (text) => ({ content: [{ type: "text", text }] });
const inputSchema = { type: "object" };
const tools = ["folders", "refresh"].map((name) => ({ name, inputSchema }));
let asked = 0;
let told;

function ask() {
  asked += 1;
  const id = `roots-${asked}`;
  const { promise, resolve } = Promise.withResolvers?.() ?? withResolvers();
  told = { id, promise, resolve };
  write({ id, method: "roots/list" });
}

function withResolvers() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

async function call({ id, params: { name } }) {
  if (name === "refresh") {
    write({ id, result: say("refreshed") });
    return ask();
  }
  const { result, error } = await told.promise;
  const roots = error ? `refused ${error.code}` : result.roots.map(({ uri }) => uri).join(" ");
  write({ id, result: say(`${told.id}: ${roots}`) });
}

const answers = {
  initialize: ({ id, params }) =>
    write({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "roots-outside", version: "1.0.0" },
      },
    }),
  "notifications/initialized": ask,
  "notifications/roots/list_changed": ask,
  ping: ({ id }) => write({ id, result: {} }),
  "tools/list": ({ id }) => write({ id, result: { tools } }),
  "tools/call": call,
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) return message.id === told?.id ? told.resolve(message) : undefined;
    const answer = answers[message.method];
    if (answer) return answer(message);
    if (message.id !== undefined) write({ id: message.id, error: { code: -32601, message: "no such method" } });
  })
  .on("close", () => process.exit(0));
