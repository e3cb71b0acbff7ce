// A server on stdio that lists exactly what its first argument says, for gateways between several such servers:
// { name, tools, toolCount, resources, templates, repeat, flipMs }. `repeat` gives how often a list repeats its items; with
// `flipMs` the description of each tool changes at that interval, and the server announces it. Each reading of its tools is a
// line of stderr.
import { createInterface } from "node:readline";

const {
  name,
  tools: given = [],
  resources = [],
  templates = [],
  toolCount = 0,
  repeat = {},
  flipMs,
} = JSON.parse(process.argv[2] ?? "{}");
const numbered = Array.from({ length: toolCount }, (_, index) => ({ name: `tool-${index}`.padEnd(50, "x") }));
const tools = [...given, ...numbered];
const repeated = (items, times = 1) => Array.from({ length: times }, () => items).flat();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const subscribed = new Set();
let flips = 0;

const content = (uri) => ({ uri, mimeType: "text/plain", text: `served by ${name}` });
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {} },
    serverInfo: { name, version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => {
    process.stderr.write("read\n");
    const toTool = (tool) => ({ description: `${flips}`, inputSchema: { type: "object" }, ...tool });
    return { tools: repeated(tools, repeat.tools).map(toTool) };
  },
  // The result of each tool refers to the resource that its argument names.
  "tools/call": ({ arguments: { uri } }) => ({
    content: [
      { type: "text", text: `called ${name}` },
      { type: "resource_link", uri, name: "link" },
      { type: "resource", resource: content(uri) },
    ],
  }),
  "prompts/list": () => ({ prompts: [{ name: "show", arguments: [{ name: "uri" }] }] }),
  "prompts/get": ({ arguments: { uri } }) => ({
    messages: [{ role: "user", content: { type: "resource", resource: content(uri) } }],
  }),
  "resources/list": () => ({ resources: repeated(resources, repeat.resources).map((uri) => ({ uri, name: uri })) }),
  "resources/templates/list": () => ({
    resourceTemplates: repeated(templates, repeat.templates).map((uriTemplate) => ({ uriTemplate, name: "t" })),
  }),
  "resources/read": ({ uri }) => ({ contents: [content(uri)] }),
  "resources/subscribe": ({ uri }) => {
    subscribed.add(uri);
    setTimeout(() => send({ method: "notifications/resources/updated", params: { uri } }), 50);
    return {};
  },
  "resources/unsubscribe": ({ uri }) => {
    subscribed.delete(uri);
    return {};
  },
  "completion/complete": ({ ref }) => ({ completion: { values: [`${name} ${ref.uri ?? ref.name}`] } }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  send(answer ? { id, result: answer(params ?? {}) } : { id, error: { code: -32601, message: `no ${method}` } });
});

if (flipMs) {
  setInterval(() => {
    flips += 1;
    send({ method: "notifications/tools/list_changed" });
  }, flipMs);
}
