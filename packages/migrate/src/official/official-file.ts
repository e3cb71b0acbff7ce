// What the parts of a migration from the official SDK share: the file, its servers, and the handlers in it.
import type { Expression, Node } from "@babel/types";
import type { SourceFile } from "../source/source-file.ts";
import { type FunctionNode, isFunction, parameterName } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";

/** A function that is registered as a handler. */
export interface Handler {
  readonly fn: FunctionNode;
  /** The place of the context among the parameters before the migration. */
  readonly contextIndex: number;
  /** The migrated code uses the context. */
  needsContext: boolean;
}

export interface OfficialFile {
  readonly file: SourceFile;
  readonly exposeErrors: boolean;
  /** The texts of expressions that are a server, such as "server" and "this.server". */
  readonly servers: ReadonlySet<string>;
  readonly handlers: Map<Node, Handler>;
  /** The values of variables of the file, by name; a name that is declared twice has none. */
  readonly variables: ReadonlyMap<string, Node>;
}

const registrations: ReadonlySet<string> = new Set(["registerTool", "registerPrompt", "registerResource"]);

export function readOfficialFile(file: SourceFile, exposeErrors: boolean): OfficialFile {
  const servers = new Set<string>();
  walk(file.ast.program, (node) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && isServer(node.init))
      servers.add(node.id.name);
    if (node.type === "AssignmentExpression" && isServer(node.right)) servers.add(file.textOf(node.left));
    if (node.type === "ClassProperty" && isServer(node.value)) servers.add(`this.${file.textOf(node.key)}`);
    if (node.type === "Identifier" && isServerType(node.typeAnnotation)) servers.add(node.name);
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return;
    const { object, property } = node.callee;
    if (property.type === "Identifier" && registrations.has(property.name)) servers.add(file.textOf(object));
  });
  return { file, exposeErrors, servers, handlers: new Map(), variables: readVariables(file) };
}

export function isServer(node: Node | null | undefined): boolean {
  return node?.type === "NewExpression" && node.callee.type === "Identifier" && node.callee.name === "McpServer";
}

function isServerType(annotation: Node | null | undefined): boolean {
  if (annotation?.type !== "TSTypeAnnotation" || annotation.typeAnnotation.type !== "TSTypeReference") return false;
  const { typeName } = annotation.typeAnnotation;
  return typeName.type === "Identifier" && typeName.name === "McpServer";
}

function readVariables(file: SourceFile): Map<string, Node> {
  const variables = new Map<string, Node>();
  const twice = new Set<string>();
  const add = (name: string, value: Node) => {
    if (variables.has(name)) twice.add(name);
    variables.set(name, value);
  };
  walk(file.ast.program, (node) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init) add(node.id.name, node.init);
    if (node.type === "FunctionDeclaration" && node.id) add(node.id.name, node);
  });
  for (const name of twice) variables.delete(name);
  return variables;
}

/** Finds the function behind an expression, and remembers it as a handler. */
export function addHandler({ handlers, variables }: OfficialFile, expression: Expression, contextIndex: number): void {
  const value = expression.type === "Identifier" ? variables.get(expression.name) : expression;
  if (isFunction(value)) handlers.set(value, { fn: value, contextIndex, needsContext: false });
}

/** The innermost handler around a node. */
export function handlerAround({ handlers }: OfficialFile, ancestors: readonly Node[]): Handler | undefined {
  for (let index = ancestors.length - 1; index >= 0; index -= 1) {
    const ancestor = ancestors[index];
    const handler = ancestor && handlers.get(ancestor);
    if (handler) return handler;
  }
  return undefined;
}

/** The name by which the code of a handler reaches the context; undefined if its parameter is destructured. */
export function contextName(handler: Handler): string | undefined {
  const parameter = handler.fn.params[handler.contextIndex];
  if (parameter) return parameterName(parameter);
  handler.needsContext = true;
  return "ctx";
}
