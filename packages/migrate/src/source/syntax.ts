// Questions about nodes of a syntax tree.
import type {
  ArrowFunctionExpression,
  CallExpression,
  Expression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  MemberExpression,
  Node,
  ObjectExpression,
  ObjectProperty,
} from "@babel/types";

export type FunctionNode = ArrowFunctionExpression | FunctionExpression | FunctionDeclaration;

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return (
    node?.type === "ArrowFunctionExpression" ||
    node?.type === "FunctionExpression" ||
    node?.type === "FunctionDeclaration"
  );
}

/** A call of a method with a fixed name, such as `server.registerTool(…)`. */
export interface MethodCall {
  readonly call: CallExpression;
  readonly callee: MemberExpression;
  readonly object: Expression;
  readonly property: Identifier;
  readonly method: string;
}

export function toMethodCall(node: Node): MethodCall | undefined {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression" || node.callee.computed)
    return undefined;
  const { object, property } = node.callee;
  if (property.type !== "Identifier" || object.type === "Super") return undefined;
  return { call: node, callee: node.callee, object, property, method: property.name };
}

/** The value of a member of an object literal, also of a shorthand or a method. */
export function memberOf(object: Node | undefined, name: string): ObjectProperty | undefined {
  if (object?.type !== "ObjectExpression") return undefined;
  return object.properties.find(
    (property): property is ObjectProperty => property.type === "ObjectProperty" && nameOf(property) === name,
  );
}

/** The name of a member that is not computed. */
export function nameOf(property: ObjectExpression["properties"][number]): string | undefined {
  if (property.type === "SpreadElement" || property.computed) return undefined;
  if (property.key.type === "Identifier") return property.key.name;
  return property.key.type === "StringLiteral" ? property.key.value : undefined;
}

/** The name of `a` in `a`, `a: Type` and `a = value`. */
export function parameterName(parameter: Node | undefined): string | undefined {
  if (parameter?.type === "AssignmentPattern") return parameterName(parameter.left);
  return parameter?.type === "Identifier" ? parameter.name : undefined;
}
