// Checks the listed items of upstreams. One item that breaks the schema makes the official clients reject the whole
// list, including the items of other upstreams.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

import { maxTemplateLength } from "./list-limits.ts";

export type ItemList = "tools" | "prompts" | "resources" | "resourceTemplates";

/** The name, URI or URI template of a valid item. */
export function keyOf(list: ItemList, item: object): unknown {
  return (item as JsonObject)[shapes[list].key];
}

/** Returns undefined for an item that cannot be offered. Invalid optional members are left out of a copy. */
export function toValidItem(list: ItemList, entry: unknown, onProblem: (problem: string) => void): object | undefined {
  const { noun, key, prepare, members } = shapes[list];
  const id = isJsonObject(entry) ? entry[key] : undefined;
  if (!isJsonObject(entry) || typeof id !== "string" || id === "") {
    onProblem(`an entry of its ${list} is left out: it has no ${key}`);
    return undefined;
  }
  const prepared = prepare(entry);
  if (typeof prepared === "string") {
    onProblem(`${noun} ${toShown(id)} is left out: ${prepared}`);
    return undefined;
  }
  const wrong = Object.keys(members).filter((name) => prepared[name] !== undefined && !members[name]?.(prepared[name]));
  if (wrong.length === 0) return prepared;
  // A null member was meant to be absent.
  const reported = wrong.filter((name) => prepared[name] !== null);
  if (reported.length > 0)
    onProblem(`${noun} ${toShown(id)} is offered without its invalid members: ${reported.join(", ")}`);
  const valid = { ...prepared };
  for (const name of wrong) delete valid[name];
  return valid;
}

/** Shortens foreign text for a line of the log. */
export function toShown(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const maxShown = 200;

interface Shape {
  readonly noun: string;
  /** The member by which callers request the item. */
  readonly key: string;
  /** Returns why an item cannot be offered. */
  prepare(entry: JsonObject): JsonObject | string;
  /** The optional members. */
  readonly members: Readonly<Record<string, (value: unknown) => boolean>>;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObjects = (value: unknown, key: string): boolean =>
  Array.isArray(value) && value.every((item) => isJsonObject(item) && isText(item[key]));
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const roles: readonly unknown[] = ["user", "assistant"];

const common = {
  title: isText,
  description: isText,
  icons: (value: unknown) =>
    isObjects(value, "src") &&
    (value as JsonObject[]).every(({ mimeType, sizes }) => isOptional(mimeType, isText) && isOptional(sizes, isTexts)),
  _meta: isJsonObject,
};

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

const content = {
  ...common,
  mimeType: isText,
  size: (value: unknown) => typeof value === "number",
  annotations: (value: unknown) =>
    isJsonObject(value) &&
    isOptional(value.audience, (audience) => Array.isArray(audience) && audience.every((one) => roles.includes(one))) &&
    isOptional(value.priority, (priority) => typeof priority === "number" && priority >= 0 && priority <= 1) &&
    isOptional(value.lastModified, isText),
};

/** A title is for people, so the name replaces an invalid one. */
const named =
  (key: string) =>
  (entry: JsonObject): JsonObject =>
    isText(entry.name) ? entry : { ...entry, name: entry[key] };

const shapes: Readonly<Record<ItemList, Shape>> = {
  tools: {
    noun: "tool",
    key: "name",
    prepare: withInputSchema,
    members: {
      ...common,
      outputSchema: isJsonObject,
      annotations: (value) =>
        isJsonObject(value) &&
        isOptional(value.title, isText) &&
        hints.every((hint) => isOptional(value[hint], isBoolean)),
    },
  },
  prompts: {
    noun: "prompt",
    key: "name",
    prepare: (entry) => entry,
    members: {
      ...common,
      arguments: (value) =>
        isObjects(value, "name") &&
        (value as JsonObject[]).every(
          ({ description, required }) => isOptional(description, isText) && isOptional(required, isBoolean),
        ),
    },
  },
  resources: { noun: "resource", key: "uri", prepare: named("uri"), members: content },
  resourceTemplates: { noun: "resource template", key: "uriTemplate", prepare: withShortTemplate, members: content },
};

function withShortTemplate(entry: JsonObject): JsonObject | string {
  const { length } = entry.uriTemplate as string;
  if (length <= maxTemplateLength) return named("uriTemplate")(entry);
  return `its uriTemplate has ${length} characters, and at most ${maxTemplateLength} are accepted`;
}

/** The type of an input schema is `object`, even if it is not declared (E-67). */
function withInputSchema(entry: JsonObject): JsonObject | string {
  const { inputSchema } = entry;
  if (!isJsonObject(inputSchema)) return "its inputSchema is no object";
  const { type, properties, required } = inputSchema;
  if (type !== undefined && type !== "object") return 'the type of its inputSchema is not "object"';
  if (!isOptional(properties, isSchemaMap)) return "the properties of its inputSchema are no schemas";
  if (!isOptional(required, isTexts)) return "what its inputSchema requires are no names";
  return type === undefined ? { ...entry, inputSchema: { type: "object", ...inputSchema } } : entry;
}

function isSchemaMap(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((schema) => isJsonObject(schema) || isBoolean(schema));
}
