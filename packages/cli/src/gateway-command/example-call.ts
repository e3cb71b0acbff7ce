// Chooses an example call for new users: a harmless tool with few arguments, and plausible values for them.
import { isJsonObject, type JsonObject, type Tool } from "@lethe/protocol";

export interface ExampleCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Returns undefined if there is no tool. */
export function toExampleCall(tools: readonly Tool[]): ExampleCall | undefined {
  const [first, ...others] = tools;
  if (!first) return undefined;
  const tool = others.reduce((best, other) => (effortOf(other) < effortOf(best) ? other : best), first);
  return { name: tool.name, arguments: argumentsFor(tool) };
}

function effortOf(tool: Tool): number {
  if (/(?:^|__)echo$/.test(tool.name)) return -1;
  return requiredOf(tool).length + (tool.annotations?.readOnlyHint === true ? 0 : 100);
}

function argumentsFor(tool: Tool): JsonObject {
  const { properties } = tool.inputSchema;
  const schemas = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(requiredOf(tool).map((name) => [name, valueFor(schemas[name])]));
}

function requiredOf({ inputSchema: { required } }: Tool): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Returns a plausible value for a schema. */
function valueFor(schema: unknown): unknown {
  if (!isJsonObject(schema)) return "hello";
  const given = [schema.const, schema.default, firstOf(schema.examples), firstOf(schema.enum)];
  const known = given.find((value) => value !== undefined);
  if (known !== undefined) return known;
  switch (schema.type) {
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "hello";
  }
}

function firstOf(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined;
}
