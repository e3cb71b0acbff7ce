// The schemas that an author may pass, Standard Schema or JSON Schema 2020-12, compiled to a validator
// values (E-67, A-53).
import {
  type CreateValidator,
  checkOptions,
  checkSchemaBounds,
  isJsonObject,
  isStandardSchema,
  type JsonObject,
  type KnownOptions,
  nameOf,
  type StandardSchema,
  toJsonSchema,
} from "@lethe/protocol";
import { type Check, createJsonCheck } from "./json-check.ts";
import { rawShapeAdvice } from "./raw-shape.ts";

/** A JSON Schema has no static type: its values are `unknown` to the compiler. */
export type Schema = StandardSchema | JsonObject;

/** The type of a value after validation. */
export type OutputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** The type of a value before validation. */
export type InputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** A schema that is ready to send and to check values with. */
export interface CompiledSchema {
  /** As sent to clients. An author's own JSON Schema is passed unchanged. */
  readonly jsonSchema: JsonObject;
  /** Returns the checked value, or its issues. */
  readonly check: Check;
}

/** Options of `compileSchema`. */
export interface CompileOptions {
  /** `input` for arguments, `output` for structured content. */
  direction: "input" | "output";
  /** Validates JSON Schema. Default: @cfworker/json-schema, loaded on first use. */
  createValidator?: CreateValidator | undefined;
}

const knownCompileOptions: KnownOptions<CompileOptions> = { direction: "a string", createValidator: true };

/**
 * Compiles a schema to what the server sends to clients and to a function that checks values. Throws an Error that describes the problem of
 * the schema.
 *
 * @example
 * import { compileSchema } from "@lethe/server/edge";
 *
 * const { check } = compileSchema({ type: "object", required: ["name"] }, { direction: "output" });
 * console.log((await check({})).issues?.length); // 1
 */
export function compileSchema(schema: Schema, options: CompileOptions): CompiledSchema {
  checkOptions("compileSchema", options, knownCompileOptions);
  const { direction, createValidator } = options;
  if (isStandardSchema(schema)) {
    const jsonSchema = toJsonSchema(schema, direction);
    checkSchemaBounds(jsonSchema);
    const standard = schema["~standard"];
    return { jsonSchema, check: (value) => standard.validate(value) };
  }
  if (!isJsonObject(schema)) {
    throw new Error(
      `a Standard Schema, such as z.object({ … }), or a JSON Schema object expected, got ${nameOf(schema)}`,
    );
  }
  const advice = rawShapeAdvice(schema);
  if (advice !== undefined) throw new Error(advice);
  checkSchemaBounds(schema);
  return { jsonSchema: schema, check: createJsonCheck(schema, direction, createValidator) };
}

/** Adds `type: "object"` where a schema omits it, as a union does: arguments are always an object. */
export function compileObjectSchema(schema: Schema, options: CompileOptions): CompiledSchema {
  const compiled = compileSchema(schema, options);
  const { type } = compiled.jsonSchema;
  if (type === "object") return compiled;
  if (type !== undefined || !isStandardSchema(schema)) {
    throw new Error(`the root must have "type": "object", got ${JSON.stringify(type) ?? "no type"}`);
  }
  return { jsonSchema: { type: "object", ...compiled.jsonSchema }, check: compiled.check };
}
