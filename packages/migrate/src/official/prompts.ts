// Prompts: registerPrompt(name, options, callback), and completion of their arguments.
import type { Expression, Node } from "@babel/types";
import { type MethodCall, memberOf, nameOf } from "../source/syntax.ts";
import { completeParameters, joinHandler } from "./handler-edits.ts";
import { addHandler, type OfficialFile } from "./official-file.ts";
import { toObjectSchema } from "./schemas.ts";

export function collectPrompt(official: OfficialFile, { call }: MethodCall): void {
  const callback = call.arguments[2];
  if (callback) addHandler(official, callback as Expression, memberOf(call.arguments[1], "argsSchema") ? 1 : 0);
}

export function migratePrompt(official: OfficialFile, { call, property }: MethodCall): void {
  const [, options, handler] = call.arguments as Expression[];
  if (!options || !handler) {
    official.file.find(call, "a prompt without options and a callback");
    return;
  }
  const schema = memberOf(options, "argsSchema");
  const complete = schema ? takeCompleters(official, schema.value) : "";
  if (schema) toObjectSchema(official, schema.value);
  completeParameters(official, handler, schema !== undefined);
  joinHandler(official, options, handler, complete);
  official.file.replace(property, "prompt");
}

/** Takes `completable(schema, complete)` apart: the schema stays, and the function becomes a member of `complete`. */
function takeCompleters({ file }: OfficialFile, shape: Node): string {
  if (shape.type !== "ObjectExpression") return "";
  const completers = shape.properties.flatMap((property) => {
    if (property.type !== "ObjectProperty" || property.value.type !== "CallExpression") return [];
    if (file.textOf(property.value.callee) !== "completable") return [];
    const [schema, complete] = property.value.arguments;
    if (!schema || !complete) return [];
    file.replace(property.value, file.textOf(schema));
    return [`${nameOf(property)}: ${file.textOf(complete)}`];
  });
  return completers.length === 0 ? "" : `complete: { ${completers.join(", ")} }`;
}
