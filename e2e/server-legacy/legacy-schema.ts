// Validates messages to clients of an older revision with the JSON Schema of that revision.
import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Returns the problems of a message that the server sends in response to a request of this method. */
export type MessageCheck = (message: JsonObject, requestMethod: string) => string[];

interface Definition {
  properties?: Record<string, { const?: unknown; type?: unknown }>;
}

/** Returns the problems of a value of a type in the schema. */
export type ProblemCheck = (name: string, value: unknown) => string[];

/** Its namespace is a reverse domain name, which no schema here describes. */
export function isOfExtension(name: string | undefined): boolean {
  return name !== undefined && /^(notifications\/)?[\w-]+(\.[\w-]+)+\//.test(name);
}

/** The schemas of older revisions describe no extension. */
const skillMethods: ReadonlySet<string> = new Set(["skills/list", "skills/get", "resources/directory/read"]);

export function createMessageCheck(revision: LegacyRevision): MessageCheck {
  const { definitions, isNewest, problemsOf } = readSchema(revision);
  const nameByMethod = new Map(
    Object.entries(definitions).map(([name, { properties }]) => [properties?.method?.const, name]),
  );

  return (message, requestMethod) => {
    if (typeof message.method === "string") {
      if (isOfExtension(message.method) || skillMethods.has(message.method)) return [];
      const name = nameByMethod.get(message.method);
      return name === undefined ? [`${message.method}: unknown to ${revision}`] : problemsOf(name, message);
    }
    if ("error" in message) return problemsOf(isNewest ? "JSONRPCErrorResponse" : "JSONRPCError", message);
    if (isNewest && isCreatedTask(message.result)) return problemsOf("CreateTaskResult", message.result);
    const name = nameByMethod.get(requestMethod)?.replace(/Request$/, "Result") ?? "";
    return problemsOf(name in definitions ? name : "EmptyResult", message.result);
  };
}

export function createProblemCheck(revision: LegacyRevision): ProblemCheck {
  return readSchema(revision).problemsOf;
}

function readSchema(revision: LegacyRevision) {
  const schema = JSON.parse(readFileSync(new URL(`schema/${revision}.json`, import.meta.url), "utf8"));
  const isNewest = "$defs" in schema;
  const definitions: Record<string, Definition> = isNewest ? schema.$defs : schema.definitions;
  patch(definitions);
  // The schemas use formats that need a plug-in.
  const options = { allErrors: true, strict: false, validateFormats: false };
  const ajv = isNewest ? new Ajv2020(options) : new Ajv(options);
  ajv.addSchema({ ...schema, $id: revision });
  const prefix = `${revision}#/${isNewest ? "$defs" : "definitions"}/`;

  const problemsOf: ProblemCheck = (name, value) => {
    const validate = ajv.getSchema(prefix + name);
    if (!validate) return [`${name}: no such definition in ${revision}`];
    if (validate(value) === true) return [];
    const errors = validate.errors ?? [];
    return errors.map(({ instancePath, message }) => `${name}: ${instancePath || "/"} ${message}`);
  };
  return { definitions, isNewest, problemsOf };
}

/** The result of every request of 2025-11-25 that asks to run as a task. */
function isCreatedTask(result: unknown): boolean {
  return isJsonObject(result) && isJsonObject(result.task);
}

/** J-70: the generator made "integer" of the numbers of forms. */
function patch({ NumberSchema }: Record<string, Definition>): void {
  for (const member of ["default", "minimum", "maximum"]) {
    const property = NumberSchema?.properties?.[member];
    if (property) property.type = "number";
  }
}
