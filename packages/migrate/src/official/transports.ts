// Transports: a server is served instead of being connected.
import type { Node } from "@babel/types";
import type { MethodCall } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import type { OfficialFile } from "./official-file.ts";

const httpAdvice =
  "serve it with serve(server, { port }) or createNodeHandler(server) of @lethe/server/node: no transport, session map or GET and DELETE route is needed";

export function migrateConnect(
  { file, servers, variables }: OfficialFile,
  found: MethodCall,
  ancestors: readonly Node[],
): void {
  const { call, method, object } = found;
  const [transport] = call.arguments;
  if (method !== "connect" || !transport) return;
  const value = transport.type === "Identifier" ? variables.get(transport.name) : transport;
  if (value?.type !== "NewExpression") {
    if (servers.has(file.textOf(object))) file.find(call, httpAdvice);
    return;
  }
  if (file.textOf(value.callee) !== "StdioServerTransport") {
    file.find(call, httpAdvice);
    return;
  }
  file.import("@lethe/server/node", "serveStdio");
  const awaited = ancestors.at(-1);
  // connect() resolved at once, and serveStdio() resolves when the client has left.
  const whole = awaited?.type === "AwaitExpression" && !isLast(ancestors) ? awaited : call;
  file.replace(whole, `serveStdio(${file.textOf(object)})`);
  if (transport.type === "Identifier") removeVariable({ file }, transport.name);
}

/** True if no statement follows in the block. */
function isLast(ancestors: readonly Node[]): boolean {
  const [block, statement] = ancestors.slice(-3);
  if (block?.type !== "BlockStatement" && block?.type !== "Program") return false;
  return block.body.at(-1) === statement;
}

function removeVariable({ file }: Pick<OfficialFile, "file">, name: string): void {
  walk(file.ast.program, (node) => {
    if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return;
    const [declared] = node.declarations;
    if (declared?.id.type === "Identifier" && declared.id.name === name) file.removeStatement(node);
  });
}
