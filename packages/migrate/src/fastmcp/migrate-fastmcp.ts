// Servers of the npm package fastmcp: definitions with addTool, addPrompt and addResource, and start().
import type { Node } from "@babel/types";
import type { SourceFile } from "../source/source-file.ts";
import { type MethodCall, memberOf, toMethodCall } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import type { FastmcpFile } from "./definition.ts";
import { migrateExecuteContext } from "./execute-context.ts";
import { migratePrompt } from "./prompts.ts";
import { migrateResource, migrateTemplate } from "./resources.ts";
import { migrateTool } from "./tools.ts";

const migrations: { readonly [method: string]: (fastmcp: FastmcpFile, found: MethodCall) => void } = {
  addTool: migrateTool,
  addPrompt: migratePrompt,
  addResource: migrateResource,
  addResourceTemplate: migrateTemplate,
  start: migrateStart,
};

const advice: { readonly [method: string]: string } = {
  addTools: "define each tool with server.tool(name, options)",
  addPrompts: "define each prompt with server.prompt(name, options)",
  addResources: "define each resource with server.resource(uri, options)",
  addResourceTemplates: "define each template with server.resourceTemplate(uriTemplate, options)",
  getApp: "add routes to your own HTTP server, and mount createNodeHandler(server) there",
  addRoute: "add routes to your own HTTP server, and mount createNodeHandler(server) there",
};

export function migrateFastmcp(file: SourceFile, options: { exposeErrors: boolean }): void {
  const fastmcp = { file, exposeErrors: options.exposeErrors };
  const servers = new Set<string>();
  walk(file.ast.program, (node) => {
    if (node.type === "VariableDeclarator" && isServer(node.init)) servers.add(file.textOf(node.id));
  });
  walk(file.ast.program, (node, ancestors) => {
    const isImport = ancestors.at(-1)?.type === "ImportSpecifier";
    if (node.type === "Identifier" && node.name === "UserError" && !isImport) migrateUserError(file, node);
    if (isServer(node)) migrateServer(file, node);
    const found = toMethodCall(node);
    if (!found || !servers.has(file.textOf(found.object))) return;
    if (found.method === "addTool") migrateExecuteContext(file, found);
    migrations[found.method]?.(fastmcp, found);
    if (advice[found.method] !== undefined) file.find(node, `${found.method}: ${advice[found.method]}`);
    if (found.method === "on") file.find(node, "a stateless server has no connections: remove the listener");
  });
}

function isServer(node: Node | null | undefined): node is Extract<Node, { type: "NewExpression" }> {
  return node?.type === "NewExpression" && node.callee.type === "Identifier" && node.callee.name === "FastMCP";
}

const infoNames = ["name", "version", "title", "websiteUrl", "icons"];

function migrateServer(file: SourceFile, node: Extract<Node, { type: "NewExpression" }>): void {
  const [options] = node.arguments;
  const members = (names: string[]) =>
    names.flatMap((name) => {
      const member = memberOf(options, name);
      return member ? [file.textOf(member)] : [];
    });
  for (const name of ["authenticate", "auth"]) {
    const member = memberOf(options, name);
    if (member)
      file.find(member, `${name}: use the option "auth" of createServer with an authenticator of @lethe/server/auth`);
  }
  file.import("@lethe/server", "createServer");
  const instructions = members(["instructions"]);
  const info = `{ ${members(infoNames).join(", ")} }`;
  file.replace(node, `createServer(${info}${instructions.length === 0 ? "" : `, { ${instructions.join(", ")} }`})`);
}

function migrateUserError(file: SourceFile, node: Node): void {
  file.import("@lethe/server", "ToolError");
  file.replace(node, "ToolError");
}

/** `server.start({ transportType, httpStream: { port, endpoint } })` */
function migrateStart({ file }: FastmcpFile, { call, object }: MethodCall): void {
  const [options] = call.arguments;
  const kind = memberOf(options, "transportType");
  const kindText = kind ? file.textOf(kind.value).slice(1, -1) : options ? "" : "stdio";
  const server = file.textOf(object);
  if (kindText === "stdio") {
    file.import("@lethe/server/node", "serveStdio");
    file.replace(call, `serveStdio(${server})`);
    return;
  }
  if (kindText !== "httpStream") {
    file.find(call, "use serveStdio(server), or serve(server, { port })");
    return;
  }
  const http = memberOf(options, "httpStream")?.value;
  const settings = [
    ["port", "port"],
    ["host", "host"],
    ["endpoint", "path"],
  ].flatMap(([theirs = "", ours]) => {
    const member = memberOf(http, theirs);
    return member ? [`${ours}: ${file.textOf(member.value)}`] : [];
  });
  file.import("@lethe/server/node", "serve");
  file.replace(call, `serve(${server}, { ${settings.join(", ")} })`);
}
