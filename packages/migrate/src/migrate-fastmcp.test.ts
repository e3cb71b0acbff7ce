import { expect, it } from "vitest";
import { migrateSource } from "./migrate-source.ts";

function migrate(text: string) {
  const source = `import { FastMCP, UserError } from "fastmcp";\nimport { z } from "zod";\n${text}`;
  const { text: migrated, findings } = migrateSource(source, { path: "server.ts", exposeErrors: false });
  return {
    code: migrated.replace(/^import .*\n/gm, "").trim(),
    findings: findings.map(({ message }) => message),
    migrated,
  };
}

it("a tool of fastmcp becomes a tool of Lethe, with its log and progress", () => {
  const { code, findings, migrated } =
    migrate(`const server = new FastMCP({ name: "a", version: "1.0.0", instructions: "Add." });
server.addTool({
  name: "add",
  description: "Adds",
  parameters: z.object({ a: z.number() }),
  execute: async ({ a }, { log, reportProgress, signal }) => {
    log.info("start", { a });
    await reportProgress({ progress: 1, total: 2 });
    if (signal.aborted) throw new UserError("too late");
    return String(a);
  },
});
server.start({ transportType: "stdio" });`);
  expect(code).toBe(`const server = createServer({ name: "a", version: "1.0.0" }, { instructions: "Add." });
server.tool("add", {
  description: "Adds",
  inputSchema: z.object({ a: z.number() }),
  handler: async ({ a }, ctx) => {
    ctx.log("info", { message: "start", context: { a } });
    await ctx.progress(1, 2);
    if (ctx.signal.aborted) throw new ToolError("too late");
    return String(a);
  },
});
serveStdio(server);`);
  expect(findings).toEqual([]);
  expect(migrated).not.toContain("fastmcp");
});

it("a method and a named context are migrated as well", () => {
  const { code } = migrate(`server.start();
const server = new FastMCP({ name: "a", version: "1.0.0" });
server.addTool({ name: "b", async execute(args, context) { context.log.warn("w"); return context.elicit({ message: "Sure?", requestedSchema: schema }); } });`);
  expect(code).toContain(
    'server.tool("b", { async handler(args, context) { context.log("warning", { message: "w" }); return context.tryElicit("Sure?", schema); } });',
  );
});

it("prompts, resources and templates of fastmcp become those of Lethe", () => {
  const { code } = migrate(`const server = new FastMCP({ name: "a", version: "1.0.0" });
server.addPrompt({ name: "git", description: "Commit", arguments: [{ name: "changes", description: "The diff", required: true }, { name: "kind", enum: ["fix", "feat"] }], load: async ({ changes }) => changes });
server.addResource({ uri: "file:///log", name: "Log", mimeType: "text/plain", async load() { return { text: "x" }; } });
server.addResourceTemplate({ uriTemplate: "log://{name}", name: "Logs", arguments: [{ name: "name", complete: ids }], load: async ({ name }) => ({ text: name }) });`);
  expect(code).toBe(`const server = createServer({ name: "a", version: "1.0.0" });
server.prompt("git", {
  description: "Commit",
  argsSchema: z.object({ "changes": z.string().describe("The diff"), "kind": z.enum(["fix", "feat"]).optional() }),
  handler: async ({ changes }) => changes,
});
server.resource("file:///log", {
  name: "Log",
  mimeType: "text/plain",
  handler: async (uri) => [await (async function () { return { text: "x" }; })()].flat().map((content) => ({ uri, ...content })),
});
server.resourceTemplate("log://{name}", {
  name: "Logs",
  complete: { "name": ids },
  handler: async (variables, ctx) => [await (async ({ name }) => ({ text: name }))(variables)].flat().map((content) => ({ uri: ctx.request.params.uri, ...content })),
});`);
});

it("start() with HTTP becomes serve() with the same port and path", () => {
  const { code } = migrate(`const server = new FastMCP({ name: "a", version: "1.0.0" });
server.start({ transportType: "httpStream", httpStream: { port: 8080, endpoint: "/api" } });`);
  expect(code).toContain('serve(server, { port: 8080, path: "/api" });');
});

it("what has no equivalent is named with its remedy", () => {
  const { findings } = migrate(`const server = new FastMCP({ name: "a", version: "1.0.0", authenticate: check });
server.addTool({ name: "b", timeoutMs: 5, canAccess: isAdmin, execute: async (_, { session, streamContent }) => streamContent(session) });
server.on("connect", greet);`);
  expect(findings.map((finding) => finding.split(":")[0]).sort()).toEqual([
    "a stateless server has no connections",
    "authenticate",
    "canAccess",
    "session",
    "streamContent is not part of MCP",
    "timeoutMs",
  ]);
});
