// Arguments of a tool as words: key=value, where the schema of the tool decides the type; key:=json; key=@file.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { readArgumentFile } from "./argument-file.ts";
import type { ArgumentWord } from "./argument-words.ts";
import { itemSchema, propertiesOf, resolveSchema, type Schema } from "./schema.ts";
import { toTyped } from "./typed-value.ts";

const shownNames = 20;

/** Builds the arguments by the input schema of the tool. Rejects with CommandError. */
export async function toToolArguments(words: readonly ArgumentWord[], root: Schema): Promise<JsonObject> {
  const result: JsonObject = {};
  for (const word of words) {
    const { holder, name, schema } = locate(result, word, root);
    const items = word.isJson && !word.isList ? undefined : itemSchema(schema, root);
    const isList = word.isList || items !== undefined;
    if (isList && !word.isList && !word.isJson && isJsonArray(word.text)) {
      throw new CommandError(
        `"${word.key}" is a list: write ${name}[]=VALUE for each item, or ${name}:='${word.text}'`,
      );
    }
    const value = await toValue(word, isList ? (items ?? {}) : schema, root);
    const before = Object.hasOwn(holder, name) ? holder[name] : undefined;
    if (before !== undefined && !(isList && Array.isArray(before))) {
      throw new CommandError(`"${word.key}" is given twice, but is not a list`);
    }
    set(holder, name, isList ? [...(Array.isArray(before) ? before : []), value] : value);
  }
  return result;
}

function isJsonArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Finds or creates the object that gets the value, and finds the schema of the value. */
function locate(result: JsonObject, { key, path, isJson }: ArgumentWord, root: Schema) {
  // A property may have a dot in its name.
  const names = Object.hasOwn(propertiesOf(root), key) ? [key] : path;
  let holder = result;
  let schema = root;
  for (const [index, name] of names.entries()) {
    const known = propertiesOf(schema);
    if (Object.hasOwn(known, name)) schema = resolveSchema(known[name], root);
    else {
      // JSON is the way to send what the schema does not name.
      if (!isJson) requireOpen(schema, key, Object.keys(known));
      schema = {};
    }
    if (index === names.length - 1) return { holder, name, schema };
    const inner: unknown = Object.hasOwn(holder, name) ? holder[name] : {};
    if (!isJsonObject(inner)) throw new CommandError(`"${key}" is in "${name}", which already has a value`);
    set(holder, name, inner);
    holder = inner;
  }
  throw new CommandError(`"${key}" names no argument`);
}

/** A name that the schema does not know is more often a mistake than intended. */
function requireOpen({ additionalProperties, properties }: Schema, key: string, known: readonly string[]): void {
  const isOpen = additionalProperties === true || isJsonObject(additionalProperties);
  if (isOpen || (properties === undefined && additionalProperties !== false)) return;
  const names = known.length === 0 ? "takes none" : `takes ${known.slice(0, shownNames).join(", ")}`;
  throw new CommandError(`the tool has no argument "${key}"; it ${names}. ${key}:=JSON sends it anyway`);
}

/** Defines a property, so that a name such as "__proto__" is an ordinary one. */
function set(holder: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

async function toValue({ key, text, isJson }: ArgumentWord, schema: Schema, root: Schema): Promise<unknown> {
  const isFile = text.startsWith("@") && !text.startsWith("@@");
  const content = isFile ? await readArgumentFile(text.slice(1), key) : text.replace(/^@@/, "@");
  if (!isJson) return isFile ? content : toTyped(key, content, schema, root);
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new CommandError(`"${key}" is not JSON: ${(error as Error).message}`);
  }
}
