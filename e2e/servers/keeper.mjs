// A server of the old kind that keeps something for its one client: what it was told to remember. It has no state but its
// own process, and writes to stderr what it runs. Speaks 2025-06-18 over stdio, without any library.
import { createInterface } from "node:readline";

const kept = [];
const asked = new Map();
let lastQuestion = 0;

const tool = (name, description, properties = {}, more = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties },
  ...more,
});
const text = { type: "string" };

const tools = [
  tool("remember", "Keeps a text", { text }),
  tool("recall", "Everything that was kept", {}, { annotations: { readOnlyHint: true } }),
  tool("whoami", "Asks the user for a name, and keeps it"),
  tool("count", "Reports so many steps", { steps: { type: "integer" } }),
  tool("wait", "Never answers"),
  tool("lookup", "Asks which entry is meant", {}, { annotations: { readOnlyHint: true } }),
  tool("die", "Ends the process"),
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (...lines) => ({ content: lines.map((line) => ({ type: "text", text: line })) });

function ask(message, answer) {
  lastQuestion += 1;
  const id = `q${lastQuestion}`;
  asked.set(id, answer);
  const requestedSchema = { type: "object", properties: { name: text }, required: ["name"] };
  send({ id, method: "elicitation/create", params: { message, requestedSchema } });
}

const run = {
  remember({ text }) {
    kept.push(text);
    return say(`${process.pid}`, `kept ${kept.length}`);
  },
  recall: () => ({ ...say(JSON.stringify(kept)), structuredContent: { pid: process.pid, kept } }),
  whoami: (_, done) =>
    ask("Who are you?", ({ action, content }) => {
      if (action === "accept") kept.push(content.name);
      done(say(action === "accept" ? `hello ${content.name}` : action));
    }),
  lookup: (_, done) =>
    ask("Which entry?", ({ content }) =>
      ask("Really?", (second) => done(say(`found ${content.name} ${second.content.name}`))),
    ),
  count({ steps = 3 }, _done, token) {
    for (let progress = 1; progress <= steps; progress += 1) {
      send({ method: "notifications/progress", params: { progressToken: token, progress, total: steps } });
    }
    return say("counted");
  },
  wait: () => undefined,
  die: () => process.exit(1),
};

function answer({ id, method, params = {} }) {
  const reply = (result) => send({ id, result });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
        serverInfo: { name: "keeper", version: "1.0.0" },
      });
    case "ping":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return reply({});
    case "tools/list":
      return reply({ tools });
    case "resources/list":
      return reply({ resources: [{ uri: "keeper://kept", name: "kept" }] });
    case "resources/templates/list":
      return reply({ resourceTemplates: [] });
    case "resources/read":
      return reply({ contents: [{ uri: params.uri, text: JSON.stringify(kept) }] });
    case "tools/call": {
      console.error(`ran ${params.name} ${JSON.stringify(params.arguments ?? {})}`);
      const result = run[params.name](params.arguments ?? {}, reply, params._meta?.progressToken);
      if (params.name === "remember")
        send({ method: "notifications/resources/updated", params: { uri: "keeper://kept" } });
      return result && reply(result);
    }
    default:
      return send({ id, error: { code: -32601, message: `no method ${method}` } });
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "notifications/cancelled") console.error(`cancelled ${message.params.requestId}`);
    if (message.method && message.id !== undefined) answer(message);
    else if (asked.has(message.id)) {
      const go = asked.get(message.id);
      asked.delete(message.id);
      go(message.result ?? { action: "refused" });
    }
  })
  .on("close", () => process.exit(0));
