// Servers of the official SDK: v1 (@modelcontextprotocol/sdk) and v2 (@modelcontextprotocol/server).
import type { Node } from "@babel/types";
import { endOf, type SourceFile, startOf } from "../source/source-file.ts";
import { type MethodCall, memberOf, toMethodCall } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import { migrateContext } from "./context-calls.ts";
import { migrateLowLevel } from "./low-level.ts";
import { isServer, type OfficialFile, readOfficialFile } from "./official-file.ts";
import { collectPrompt, migratePrompt } from "./prompts.ts";
import { collectResource, migrateResource } from "./resources.ts";
import { migrateServerCall } from "./server-calls.ts";
import { collectTool, migrateTool } from "./tools.ts";
import { migrateConnect } from "./transports.ts";

type Registration = (official: OfficialFile, found: MethodCall) => void;

const collectors: { readonly [method: string]: Registration } = {
  registerTool: collectTool,
  tool: collectTool,
  registerPrompt: collectPrompt,
  registerResource: collectResource,
};

const migrations: { readonly [method: string]: Registration } = {
  registerTool: migrateTool,
  tool: migrateTool,
  registerPrompt: migratePrompt,
  registerResource: migrateResource,
};

export function migrateOfficial(file: SourceFile, options: { exposeErrors: boolean }): void {
  const official = readOfficialFile(file, options.exposeErrors);
  const removed = migrateLowLevel(official);
  const calls = readCalls(official, removed);
  for (const { found } of calls) collectors[found.method]?.(official, found);
  // Requests to the client decide which handlers need the context.
  for (const { found, ancestors } of calls) {
    migrateServerCall(official, found, ancestors);
    migrateConnect(official, found, ancestors);
  }
  for (const handler of official.handlers.values()) migrateContext(official, handler);
  for (const { found } of calls) migrations[found.method]?.(official, found);
  migrateServers(official);
}

interface FoundCall {
  readonly found: MethodCall;
  readonly ancestors: readonly Node[];
}

function readCalls({ file, servers }: OfficialFile, removed: ReadonlySet<Node>): FoundCall[] {
  const calls: FoundCall[] = [];
  walk(file.ast.program, (node, ancestors) => {
    if (ancestors.some((ancestor) => removed.has(ancestor))) return;
    const found = toMethodCall(node);
    if (!found || (found.method in migrations && !servers.has(file.textOf(found.object)))) return;
    calls.push({ found, ancestors: [...ancestors] });
  });
  return calls;
}

function migrateServers({ file }: OfficialFile): void {
  walk(file.ast.program, (node) => {
    if (node.type === "NewExpression" && file.textOf(node.callee) === "Server") {
      file.find(
        node,
        "handlers of the low-level Server: serve it with adaptServer() of lethe/adapter, or define features with createServer()",
      );
    }
    if (node.type === "TSTypeReference" && file.textOf(node.typeName) === "McpServer") {
      file.import("@lethe/server", "type Server");
      file.replace(node, "Server");
    }
    if (node.type !== "NewExpression" || !isServer(node)) return;
    file.import("@lethe/server", "createServer");
    file.replaceBetween(startOf(node), endOf(node.callee), "createServer");
    const [info, settings] = node.arguments;
    if (!info || !settings) return;
    const instructions = memberOf(settings, "instructions");
    if (instructions) file.replace(settings, `{ instructions: ${file.textOf(instructions.value)} }`);
    else file.edits.remove(endOf(info), endOf(settings));
  });
}
