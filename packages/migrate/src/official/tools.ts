// Tools: registerTool(name, options, callback) and the older tool(name, …, callback).
import type { CallExpression, Expression, Node, ObjectExpression } from "@babel/types";
import { endOf, startOf } from "../source/source-file.ts";
import { type MethodCall, memberOf, nameOf } from "../source/syntax.ts";
import { completeParameters, joinHandler, wrapHandler } from "./handler-edits.ts";
import { addHandler, type OfficialFile } from "./official-file.ts";
import { toObjectSchema } from "./schemas.ts";

/** Remembers the callback of a tool, so that calls inside of it find their context. */
export function collectTool(official: OfficialFile, { call, method }: MethodCall): void {
  const callback = call.arguments.at(-1);
  if (!isExpression(callback)) return;
  addHandler(official, callback, takesArguments(call, method) ? 1 : 0);
}

export function migrateTool(official: OfficialFile, { call, property, method }: MethodCall): void {
  const handler = call.arguments.at(-1);
  if (!isExpression(handler) || call.arguments.length < 2) {
    official.file.find(call, "a tool without a callback");
    return;
  }
  const hasArguments = takesArguments(call, method);
  completeParameters(official, handler, hasArguments);
  wrapHandler(official, handler);
  if (method === "tool") migrateOverload(official, call, handler);
  else migrateOptions(official, call, handler);
  if (method !== "tool") official.file.replace(property, "tool");
}

function migrateOptions(official: OfficialFile, call: CallExpression, handler: Expression): void {
  const options = call.arguments[1];
  if (!isExpression(options)) return;
  for (const name of ["inputSchema", "outputSchema"]) {
    const schema = memberOf(options, name);
    if (schema) toObjectSchema(official, schema.value);
  }
  if (options.type !== "ObjectExpression") {
    official.file.find(options, "wrap raw shapes in the inputSchema and outputSchema of these options in z.object()");
  }
  joinHandler(official, options, handler);
}

/** `tool(name, description?, shape?, annotations?, callback)` */
function migrateOverload(official: OfficialFile, call: CallExpression, handler: Expression): void {
  const { file } = official;
  const middle = call.arguments.slice(1, -1).filter(isExpression);
  const members = middle.map((argument) => {
    if (isText(argument)) return { name: "description", argument };
    return { name: isAnnotations(argument) ? "annotations" : "inputSchema", argument };
  });
  let position: number | undefined;
  for (const { name, argument } of members) {
    if (position === undefined) file.edits.appendRight(startOf(argument), `{ ${name}: `);
    else file.replaceBetween(position, startOf(argument), `, ${name}: `);
    if (name === "inputSchema") toObjectSchema(official, argument);
    position = endOf(argument);
  }
  if (position === undefined) file.edits.prependRight(startOf(handler), "{ handler: ");
  else file.replaceBetween(position, startOf(handler), ", handler: ");
  file.insertAfter(handler, " }");
}

function takesArguments(call: CallExpression, method: string): boolean {
  if (method === "tool")
    return call.arguments.slice(1, -1).some((argument) => !isText(argument) && !isAnnotations(argument));
  const options = call.arguments[1];
  return options?.type !== "ObjectExpression" || options.properties.some(isInputSchema);
}

/** Options that are spread in may contain a schema. */
function isInputSchema(property: ObjectExpression["properties"][number]): boolean {
  return property.type === "SpreadElement" || nameOf(property) === "inputSchema";
}

const annotationNames: ReadonlySet<string | undefined> = new Set([
  "title",
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
]);

function isAnnotations(node: Node): boolean {
  if (node.type !== "ObjectExpression" || node.properties.length === 0) return false;
  return node.properties.every((property) => annotationNames.has(nameOf(property)) && isPlain(property));
}

function isPlain(property: ObjectExpression["properties"][number]): boolean {
  return property.type === "ObjectProperty" && /^(Boolean|String|Template)Literal$/.test(property.value.type);
}

function isText(node: Node): boolean {
  if (node.type === "BinaryExpression") return isText(node.left) || isText(node.right);
  return node.type === "StringLiteral" || node.type === "TemplateLiteral";
}

function isExpression(node: CallExpression["arguments"][number] | undefined): node is Expression {
  return node !== undefined && node.type !== "SpreadElement" && node.type !== "ArgumentPlaceholder";
}
