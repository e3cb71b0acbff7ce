// What an author may give as a schema, any Standard Schema or JSON Schema 2020-12 as it stands, in the form that checks
// values (E-67, A-53).
import {
  type CreateValidator,
  checkSchemaBounds,
  isJsonObject,
  isStandardSchema,
  type JsonObject,
  type StandardSchema,
  toJsonSchema,
} from "@lethe/protocol";
import { type Check, createJsonCheck } from "./json-check.ts";

/** A JSON Schema has no static type of its own: what it describes is `unknown` to the compiler. */
export type Schema = StandardSchema | JsonObject;

/** What a value is once the schema has accepted it. */
export type OutputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** What the schema takes. */
export type InputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

export interface CompiledSchema {
  /** As it goes out. An author's own JSON Schema is that very object. */
  readonly jsonSchema: JsonObject;
  readonly check: Check;
}

export interface CompileOptions {
  /** `input` for what the server takes, `output` for what it gives. */
  direction: "input" | "output";
  /** For JSON Schema. Default: @cfworker/json-schema, loaded when it is first needed. */
  createValidator?: CreateValidator | undefined;
}

/** Throws an Error that says what is wrong with the schema. */
export function compileSchema(schema: Schema, { direction, createValidator }: CompileOptions): CompiledSchema {
  if (isStandardSchema(schema)) {
    const jsonSchema = toJsonSchema(schema, direction);
    checkSchemaBounds(jsonSchema);
    const standard = schema["~standard"];
    return { jsonSchema, check: (value) => standard.validate(value) };
  }
  if (!isJsonObject(schema)) throw new Error("a Standard Schema or a JSON Schema object expected");
  checkSchemaBounds(schema);
  return { jsonSchema: schema, check: createJsonCheck(schema, direction, createValidator) };
}

/** Arguments are always an object, so a schema that leaves that out, as a union does, still means one (E-67). */
export function compileObjectSchema(schema: Schema, options: CompileOptions): CompiledSchema {
  const compiled = compileSchema(schema, options);
  const { type } = compiled.jsonSchema;
  if (type === "object") return compiled;
  if (type !== undefined || !isStandardSchema(schema)) {
    throw new Error(`the root must have "type": "object", got ${JSON.stringify(type) ?? "no type"}`);
  }
  return { jsonSchema: { type: "object", ...compiled.jsonSchema }, check: compiled.check };
}
