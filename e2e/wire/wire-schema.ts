// Validates messages with the JSON Schema of the specification (J-70).
import { readFileSync } from "node:fs";
import type { JsonObject } from "@lethe/protocol";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { isOfExtension } from "../server-legacy/legacy-schema.ts";

/** Returns the problems of a message that the server sends in response to a request of this method. */
export type MessageCheck = (message: JsonObject, requestMethod: string) => string[];

interface Definition {
  properties?: Record<string, { const?: unknown; allOf?: { properties?: { code?: { const?: unknown } } }[] }>;
  /** Definitions of extensions are unions. */
  allOf?: Definition[];
}

/** Names of definitions, as `schema#/$defs/Name`. */
interface Index {
  requests: Map<unknown, string>;
  notifications: Map<unknown, string>;
  /** By the method of the request. */
  results: Map<unknown, string>;
  /** By code. */
  errors: Map<unknown, string>;
}

export function createMessageCheck(): MessageCheck {
  // The schemas use formats that need a plug-in, and members that only their generator knows.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const index: Index = { requests: new Map(), notifications: new Map(), results: new Map(), errors: new Map() };
  for (const [id, patches] of Object.entries(slips)) {
    const schema = JSON.parse(readFileSync(new URL(`schema/${id}.json`, import.meta.url), "utf8"));
    for (const patch of patches) patch(schema.$defs);
    ajv.addSchema({ ...schema, $id: id });
    addToIndex(index, id, schema.$defs);
  }

  return (message, requestMethod) => {
    const problems = problemsOf("2026-07-28#/$defs/JSONRPCMessage", message);
    if (typeof message.method === "string") {
      if (isOfExtension(message.method)) return problems;
      const names = "id" in message ? index.requests : index.notifications;
      return [...problems, ...problemsOf(names.get(message.method), message)];
    }
    const { result, error } = message as { result?: JsonObject; error?: JsonObject };
    if (isOfExtension(requestMethod)) return problems;
    if (error) return [...problems, ...problemsOf(index.errors.get(error.code) ?? anyError, message)];
    return [...problems, ...problemsOf(resultNameOf(result, requestMethod), result)];
  };

  function resultNameOf(result: JsonObject | undefined, requestMethod: string): string | undefined {
    if (result?.resultType === "input_required") return "2026-07-28#/$defs/InputRequiredResult";
    if (result?.resultType === "task") return "tasks-2026-07-28#/$defs/CreateTaskResult";
    return index.results.get(requestMethod);
  }

  function problemsOf(name: string | undefined, value: unknown): string[] {
    if (name === undefined) return ["no definition says what this is"];
    const validate = ajv.getSchema(name) as ValidateFunction;
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${name}: ${toText(error)}`);
  }
}

const anyError = "2026-07-28#/$defs/JSONRPCErrorResponse";

type Definitions = Record<string, { properties: Record<string, unknown>; anyOf: { type?: unknown }[] }>;

/** J-70: the generator made "integer" of numbers, and forgot null. */
const jsonValue = ({ JSONValue }: Definitions): void => {
  const scalar = JSONValue?.anyOf.find(({ type }) => Array.isArray(type));
  if (scalar === undefined) throw new Error("JSONValue: the patch does not fit any more");
  scalar.type = ["string", "number", "boolean", "null"];
};
const elicitContent = ({ ElicitResult }: Definitions): void => {
  const value = { anyOf: [{ type: "array", items: { type: "string" } }, { type: ["string", "number", "boolean"] }] };
  if (ElicitResult === undefined) throw new Error("ElicitResult: the patch does not fit any more");
  ElicitResult.properties.content = { type: "object", additionalProperties: value };
};

const slips: Record<string, ((definitions: Definitions) => void)[]> = {
  "2026-07-28": [jsonValue, elicitContent],
  "tasks-2026-07-28": [jsonValue, elicitContent],
  "skills-2026-07-28": [],
};

function addToIndex(index: Index, id: string, definitions: Record<string, Definition>): void {
  for (const [name, { allOf = [], ...own }] of Object.entries(definitions)) {
    const properties = Object.assign({}, ...[own, ...allOf].map((part) => part.properties));
    const method = properties.method?.const;
    const resultName = name.replace(/Request$/, "Result");
    if (name.endsWith("Notification")) index.notifications.set(method, `${id}#/$defs/${name}`);
    else if (method !== undefined && resultName in definitions) {
      index.requests.set(method, `${id}#/$defs/${name}`);
      index.results.set(method, `${id}#/$defs/${resultName}`);
    }
    for (const part of properties.error?.allOf ?? []) {
      const code = part.properties?.code?.const;
      if (code !== undefined) index.errors.set(code, `${id}#/$defs/${name}`);
    }
  }
}

function toText({ instancePath, message = "invalid", params }: ErrorObject): string {
  return `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;
}
