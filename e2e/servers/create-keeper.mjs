// A legacy server that keeps state for its one client: stored values, and an open page, like a
// browser. It logs its runs to stderr. It speaks 2025-06-18 without any library.
import { setTimeout as sleep } from "node:timers/promises";

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
  tool("navigate", "Opens a page", { url: text }),
  tool("snapshot", "The page that is open", {}, { annotations: { readOnlyHint: true } }),
  tool("whoami", "Asks the user for a name, and keeps it"),
  tool("count", "Reports so many steps", { steps: { type: "integer" } }),
  tool("wait", "Never answers"),
  tool("lookup", "Asks which entry is meant", {}, { annotations: { readOnlyHint: true } }),
  tool("die", "Ends the process"),
];

const initializeResult = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  serverInfo: { name: "keeper", version: "1.0.0" },
};

const say = (...lines) => ({ content: lines.map((line) => ({ type: "text", text: line })) });

/** The returned function receives a client message; `write` sends a response to it. */
export function createKeeper() {
  const kept = [];
  const asked = new Map();
  let lastQuestion = 0;
  let page = "about:blank";

  function ask(message, answer, send) {
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
    async navigate({ url }) {
      page = url;
      await sleep(1);
      return say(page);
    },
    snapshot: () => say(page),
    whoami: (_, { send, done }) =>
      ask(
        "Who are you?",
        ({ action, content }) => {
          if (action === "accept") kept.push(content.name);
          done(say(action === "accept" ? `hello ${content.name}` : action));
        },
        send,
      ),
    lookup: (_, { send, done }) =>
      ask(
        "Which entry?",
        ({ content }) => ask("Really?", (second) => done(say(`found ${content.name} ${second.content.name}`)), send),
        send,
      ),
    count({ steps = 3 }, { send, token }) {
      for (let progress = 1; progress <= steps; progress += 1) {
        send({ method: "notifications/progress", params: { progressToken: token, progress, total: steps } });
      }
      return say("counted");
    },
    wait: () => undefined,
    die: () => process.exit(1),
  };

  async function call({ name, arguments: args = {}, _meta }, send, done) {
    console.error(`ran ${name} ${JSON.stringify(args)}`);
    const result = await run[name](args, { send, done, token: _meta?.progressToken });
    if (name === "remember") send({ method: "notifications/resources/updated", params: { uri: "keeper://kept" } });
    if (result) done(result);
  }

  function answer({ id, method, params = {} }, send) {
    const reply = (result) => send({ id, result });
    switch (method) {
      case "initialize":
        return reply(initializeResult);
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
      case "tools/call":
        return call(params, send, reply);
      default:
        return send({ id, error: { code: -32601, message: `no method ${method}` } });
    }
  }

  return (message, write) => {
    const send = (sent) => write({ jsonrpc: "2.0", ...sent });
    if (message.method === "notifications/cancelled") console.error(`cancelled ${message.params.requestId}`);
    if (message.method && message.id !== undefined) return answer(message, send);
    const go = asked.get(message.id);
    asked.delete(message.id);
    go?.(message.result ?? { action: "refused" });
  };
}
