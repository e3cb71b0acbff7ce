import { expect, it } from "vitest";
import { migrateSource } from "./migrate-source.ts";

const imports = `import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
`;

function migrate(text: string, path = "server.js") {
  const { text: migrated, findings } = migrateSource(imports + text, { path, exposeErrors: false });
  return {
    code: migrated.replace(/^import .*\n/gm, "").trim(),
    findings: findings.map(({ message }) => message),
    migrated,
  };
}

it("a tool of registerTool keeps its options, wraps raw shapes and takes its callback as handler", () => {
  const { code, findings, migrated } =
    migrate(`const server = new McpServer({ name: "a", version: "1" }, { capabilities: { tools: {} }, instructions: "Add." });
server.registerTool("add", { description: "Adds", inputSchema: { a: z.number() }, outputSchema: z.object({ sum: z.number() }) }, async ({ a }) => ({ content: [], structuredContent: { sum: a } }));`);
  expect(code).toBe(`const server = createServer({ name: "a", version: "1" }, { instructions: "Add." });
server.tool("add", { description: "Adds", inputSchema: z.object({ a: z.number() }), outputSchema: z.object({ sum: z.number() }), handler: async ({ a }) => ({ content: [], structuredContent: { sum: a } }) });`);
  expect(findings).toEqual([]);
  expect(migrated).toContain('import { createServer } from "@lethe/server";');
  expect(migrated).not.toContain("modelcontextprotocol");
});

it("a callback without arguments gets them as its first parameter", () => {
  const { code } = migrate(`server.registerTool("a", {}, async (extra) => wait(extra.signal));
server.registerTool("b", { title: "B" }, extra => wait(extra.signal));
server.registerTool("c", {}, named);
function named(extra) { return wait(extra.signal); }`);
  expect(code).toBe(`server.tool("a", { handler: async (_args, extra) => wait(extra.signal) });
server.tool("b", { title: "B", handler: (_args, extra) => wait(extra.signal) });
server.tool("c", { handler: (_args, ctx) => named(ctx) });
function named(extra) { return wait(extra.signal); }`);
});

it("the overloads of tool() become options", () => {
  const { code } = migrate(`const server = new McpServer(info);
server.tool("a", () => text);
server.tool("b", "Says b", { x: z.string() }, { readOnlyHint: true }, ({ x }) => x);
server.tool("c", { readOnlyHint: true }, () => text);
server.tool("d", { title: z.string() }, ({ title }) => title);`);
  expect(code).toBe(`const server = createServer(info);
server.tool("a", { handler: () => text });
server.tool("b", { description: "Says b", inputSchema: z.object({ x: z.string() }), annotations: { readOnlyHint: true }, handler: ({ x }) => x });
server.tool("c", { annotations: { readOnlyHint: true }, handler: () => text });
server.tool("d", { inputSchema: z.object({ title: z.string() }), handler: ({ title }) => title });`);
});

it("requests to the client become calls of the context of the handler around them", () => {
  const { code, findings } = migrate(`server.registerTool("a", { inputSchema: { x: z.string() } }, async ({ x }) => {
  const answer = await server.server.elicitInput({ mode: "form", message: \`Delete \${x}?\`, requestedSchema: schema });
  const reply = await server.server.createMessage({ messages: [], maxTokens: 5 });
  const { roots } = await server.server.listRoots();
  await server.sendLoggingMessage({ level: "info", data: x });
  return answer.action;
});`);
  expect(code).toBe(`server.tool("a", { inputSchema: z.object({ x: z.string() }), handler: async ({ x }, ctx) => {
  const answer = await ctx.tryElicit(\`Delete \${x}?\`, schema);
  const reply = await ctx.sample({ messages: [], maxTokens: 5 });
  const { roots } = await ctx.roots().then((roots) => ({ roots }));
  await ctx.log("info", x);
  return answer.action;
} });`);
  expect(findings).toEqual([]);
});

it("a request to the client outside of a handler is left to a person", () => {
  const { findings } = migrate(`server.registerTool("a", {}, () => ask());
async function ask() { return server.server.createMessage({ messages: [] }); }`);
  expect(findings).toEqual([
    "createMessage: a request to the client belongs to a call; pass the context of the handler (ctx) to this function",
  ]);
});

it("progress and log notifications become methods of the context", () => {
  const { code } = migrate(`server.registerTool("a", {}, async (extra) => {
  const token = extra._meta?.progressToken;
  await extra.sendNotification({ method: "notifications/progress", params: { progressToken: token, progress: 1, total: 2 } });
  await extra.sendNotification({ method: "notifications/message", params: { level: "info", data: "half" } });
  return text;
});`);
  expect(code).toContain("const token = extra.meta?.progressToken;");
  expect(code).toContain("await extra.progress(1, 2);");
  expect(code).toContain('await extra.log("info", "half");');
});

it("what a stateless server does not have is named with its remedy", () => {
  const { findings, code } =
    migrate(`server.registerTool("a", {}, async (extra) => extra.sessionId + extra.authInfo.token);
server.server.oninitialized = () => start();`);
  expect(findings).toEqual([
    "extra.sessionId: a stateless server has no session id: use ctx.caller, or keep state with ctx.session",
    "extra.authInfo: use ctx.caller, which an authenticator of @lethe/server/auth fills",
    "a stateless server has no oninitialized: read what a call needs in its handler",
  ]);
  expect(code).toContain("// server.server.oninitialized = () => start();");
});

it("a prompt takes its completers out of its schema", () => {
  const { code } =
    migrate(`server.registerPrompt("greet", { description: "Greets", argsSchema: { name: completable(z.string(), (value) => names(value)), tone: z.string() } }, ({ name }) => ({ messages: [] }));
server.registerPrompt("plain", { description: "Plain" }, () => ({ messages: [] }));`);
  expect(
    code,
  ).toBe(`server.prompt("greet", { description: "Greets", argsSchema: z.object({ name: z.string(), tone: z.string() }), complete: { name: (value) => names(value) }, handler: ({ name }) => ({ messages: [] }) });
server.prompt("plain", { description: "Plain", handler: () => ({ messages: [] }) });`);
});

it("resources and templates take their URI first and their name as an option", () => {
  const { code } =
    migrate(`server.registerResource("config", "config://app", { title: "C" }, async (uri) => ({ contents: [{ uri: uri.href, text: "" }] }));
server.registerResource("parts", "parts://x", {}, async (uri) => read(uri));
server.registerResource("user", new ResourceTemplate("user://{id}", { list: undefined, complete: { id: ids } }), { title: "U" }, async (uri, { id }) => read(uri, id));`);
  expect(
    code,
  ).toBe(`server.resource("config://app", { title: "C", name: "config", handler: async (uri) => ({ contents: [{ uri: uri, text: "" }] }) });
server.resource("parts://x", { name: "parts", handler: (href, ctx) => (async (uri) => read(uri))(new URL(href), ctx) });
server.resourceTemplate("user://{id}", { title: "U", name: "user", complete: { id: ids }, handler: (variables, ctx) => (async (uri, { id }) => read(uri, id))(new URL(ctx.request.params.uri), variables, ctx) });`);
});

it("a connected stdio transport becomes serveStdio, which later statements do not wait for", () => {
  const { code } = migrate(`async function main() {
  const transport = new StdioServerTransport();
  await server.connect(transport);
  console.error("running");
}
server.registerTool("a", {}, () => text);`);
  expect(code).toContain(`async function main() {
  serveStdio(server);
  console.error("running");
}`);
  expect(
    migrate("const server = new McpServer(info);\nawait server.connect(new StdioServerTransport());").code,
  ).toContain("await serveStdio(server);");
});

it("subscription handlers and the set that they fill are removed", () => {
  const { code, findings } = migrate(`const server = new McpServer(info);
const subscribed = new Set();
server.server.registerCapabilities({ resources: { subscribe: true } });
server.server.setRequestHandler(SubscribeRequestSchema, async (request) => {
  subscribed.add(request.params.uri);
  return {};
});
function changed(uri) {
  if (subscribed.has(uri)) {
    server.server.sendResourceUpdated({ uri });
  }
}`);
  expect(code).toBe(`const server = createServer(info);
const subscribed = new Set();
function changed(uri) {
  server.resourceUpdated(uri);
}`);
  expect(findings).toEqual([]);
});

it("TypeScript keeps its types, and McpServer becomes Server", () => {
  const { code, migrated } = migrate(
    `export function register(server: McpServer): void {
  server.registerTool("a", { inputSchema: { x: z.string() } }, async ({ x }: { x: string }) => text(x));
}`,
    "register.ts",
  );
  expect(code).toContain("register(server: Server): void");
  expect(code).toContain(
    'server.tool("a", { inputSchema: z.object({ x: z.string() }), handler: async ({ x }: { x: string }) => text(x) });',
  );
  expect(migrated).toContain('import { type Server } from "@lethe/server";');
});

it("a second migration of the result changes nothing", () => {
  const once = migrate('const server = new McpServer(info);\nserver.registerTool("a", {}, () => text);').migrated;
  expect(migrateSource(once, { path: "server.js" })).toEqual({ text: once, from: undefined, findings: [] });
});

it("handlers keep their visible error messages unless the author asks for hidden ones", () => {
  const text = `${imports}const server = new McpServer(info);\nserver.registerTool("a", {}, () => text);`;
  expect(migrateSource(text, { path: "a.js" }).text).toContain(
    'server.tool("a", { handler: exposeErrors(() => text) });',
  );
});
