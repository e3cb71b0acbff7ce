// The arguments by which the model passes handles: added to the listed schema, and removed before the author's schema checks the rest.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Check } from "../features/json-check.ts";
import type { SessionDefinition } from "./session.ts";

/** Throws an Error if the author's schema has an argument of the same name. */
export function withHandles(
  { jsonSchema, check }: { readonly jsonSchema: JsonObject; readonly check: Check },
  sessions: readonly SessionDefinition[],
): { jsonSchema: JsonObject; check: Check } {
  const names = handleNamesOf(sessions);
  if (names.length === 0) return { jsonSchema, check };
  const properties = isJsonObject(jsonSchema.properties) ? jsonSchema.properties : {};
  const handles: JsonObject = {};
  for (const { name, handleName } of sessions) {
    if (handleName === undefined) continue;
    if (Object.hasOwn(properties, handleName)) {
      throw new Error(`the argument ${JSON.stringify(handleName)} is reserved for the handle of the session`);
    }
    handles[handleName] = { type: "string", description: describeHandle(name, handleName) };
  }
  return {
    jsonSchema: { ...jsonSchema, properties: { ...properties, ...handles } },
    check: (args) => check(without(args, names)),
  };
}

function describeHandle(name: string, handleName: string): string {
  return `Continues a ${name}: the newest ${handleName} from an earlier result, unchanged. Omit it to begin a new ${name}.`;
}

function handleNamesOf(sessions: readonly SessionDefinition[]): string[] {
  return sessions.flatMap(({ handleName }) => handleName ?? []);
}

function without(args: unknown, names: readonly string[]): unknown {
  if (!isJsonObject(args) || !names.some((name) => Object.hasOwn(args, name))) return args;
  const rest = { ...args };
  for (const name of names) delete rest[name];
  return rest;
}
