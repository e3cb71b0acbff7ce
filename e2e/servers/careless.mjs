// A careless server of 2025-11-25 whose lists and results violate the schema in every way that its argument names.
import { createInterface } from "node:readline";

const object = { type: "object" };
const tools = [
  null,
  7,
  {},
  { name: "", inputSchema: object },
  { name: 5, inputSchema: object },
  { name: "schemaless" },
  { name: "listed", inputSchema: [] },
  { name: "typed", inputSchema: { type: 5 } },
  { name: "propertied", inputSchema: { type: "object", properties: { a: "string" } } },
  { name: "wanting", inputSchema: { type: "object", required: "a" } },
  { name: "untyped", inputSchema: {} },
  { name: "nulls", title: null, description: null, inputSchema: object, outputSchema: null, annotations: null },
  { name: "numbers", title: 1, description: 2, icons: 3, inputSchema: object, execution: 4, annotations: { title: 5 } },
  { name: "icons", icons: [{}, null], inputSchema: object, execution: { taskSupport: "sometimes" }, _meta: [] },
  { name: "fine", inputSchema: object },
];
const prompts = [null, { name: 1 }, { name: "fine", description: 5, arguments: [null] }];
const resources = [null, { uri: 5 }, { uri: "x:/1" }, { uri: "x:/2", name: "two", size: "big", mimeType: null }];
const resourceTemplates = [[], { uriTemplate: "x:/{id}", annotations: { priority: 7, audience: "user" } }];

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: "careless", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "prompts/list": () => ({ prompts }),
  "resources/list": () => ({ resources }),
  "resources/templates/list": () => ({ resourceTemplates }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
