// Handlers that authors set on the protocol object itself: subscriptions, client notifications, capabilities.
import type { Node } from "@babel/types";
import { endOf, startOf } from "../source/source-file.ts";
import { toMethodCall } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import type { OfficialFile } from "./official-file.ts";
import { serverOf } from "./server-calls.ts";

/** Removes or comments out statements, and returns them. Nothing inside of them has to be migrated. */
export function migrateLowLevel(official: OfficialFile): ReadonlySet<Node> {
  const removed = new Set<Node>();
  const registries = new Set<string>();
  walk(official.file.ast.program, (node, ancestors) => {
    if (node.type !== "ExpressionStatement" || ancestors.some((ancestor) => removed.has(ancestor))) return;
    if (migrateStatement(official, node, registries)) removed.add(node);
  });
  for (const registry of registries) replaceRegistry(official, registry, removed);
  return removed;
}

function migrateStatement(
  official: OfficialFile,
  statement: Node & { expression: Node },
  registries: Set<string>,
): boolean {
  const { file } = official;
  const { expression } = statement;
  if (expression.type === "AssignmentExpression" && expression.left.type === "MemberExpression") {
    const { object, property } = expression.left;
    if (serverOf(official, object) === undefined || !/^on[a-z]+$/.test(file.textOf(property))) return false;
    file.commentOut(
      statement,
      `a stateless server has no ${file.textOf(property)}: read what a call needs in its handler`,
    );
    return true;
  }
  const found = toMethodCall(expression);
  if (!found || serverOf(official, found.object) === undefined) return false;
  if (found.method === "registerCapabilities") file.removeStatement(statement);
  else if (found.method === "setNotificationHandler")
    file.commentOut(statement, "read roots in a handler with ctx.roots()");
  else if (found.method === "setRequestHandler") migrateRequestHandler(official, statement, registries);
  else return false;
  return true;
}

/** Lethe serves subscriptions itself. A set that only remembers the subscribed URIs is no longer needed. */
function migrateRequestHandler(
  { file }: OfficialFile,
  statement: Node & { expression: Node },
  registries: Set<string>,
): void {
  const text = file.textOf(statement);
  if (!/^[^(]*\(\s*(Uns|S)ubscribeRequestSchema/.test(text) && !/\(\s*["']resources\/(un)?subscribe["']/.test(text)) {
    file.commentOut(
      statement,
      "define the feature with server.tool, server.resource or server.prompt, or use server.method()",
    );
    return;
  }
  walk(statement, (node) => {
    const found = toMethodCall(node);
    if (found && (found.method === "add" || found.method === "delete")) registries.add(file.textOf(found.object));
  });
  file.removeStatement(statement);
}

/** `registry.has(uri)` was true for subscribed URIs; `resourceUpdated` reaches only subscribers. */
function replaceRegistry(official: OfficialFile, registry: string, removed: ReadonlySet<Node>): void {
  const { file } = official;
  walk(file.ast.program, (node, ancestors) => {
    if (ancestors.some((ancestor) => removed.has(ancestor))) return;
    const found = toMethodCall(node);
    if (!found || file.textOf(found.object) !== registry) return;
    const parent = ancestors.at(-1);
    if (found.method === "has" && parent?.type === "IfStatement" && parent.test === node && !parent.alternate) {
      unwrap(official, parent, parent.consequent);
    } else file.find(node, `${registry} remembered subscriptions, which Lethe does itself: remove it`);
  });
}

/** Keeps the statements of a block without the block. */
function unwrap({ file }: OfficialFile, whole: Node, block: Node): void {
  const statements = block.type === "BlockStatement" ? block.body : [block];
  const [first, last] = [statements[0], statements.at(-1)];
  if (!first || !last) {
    file.removeStatement(whole);
    return;
  }
  file.edits.remove(startOf(whole), startOf(first));
  file.edits.remove(endOf(last), endOf(whole));
}
