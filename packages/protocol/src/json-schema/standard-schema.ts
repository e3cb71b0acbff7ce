// The parts of Standard Schema and Standard JSON Schema that Lethe uses. They accept schemas of any library.
import { isJsonObject, type JsonObject, nameOf } from "../jsonrpc/message.ts";

/** A schema of zod, arktype, valibot or another library that implements standardschema.dev. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaProps<Input, Output>;
}

/** Any Standard Schema. */
export type StandardSchema = StandardSchemaV1;

/** The `~standard` member of a schema. */
export interface StandardSchemaProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Exists only at compile time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Not all libraries provide it. */
  readonly jsonSchema?: StandardJsonSchemaConverter | undefined;
}

/** The outcome of a validation: a value or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a validation found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Converts a schema to JSON Schema. */
export interface StandardJsonSchemaConverter {
  readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
  readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
}

/** The type of the values that a schema accepts. */
export type InferInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];
/** The type of the values that a schema returns. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** True for a Standard Schema. Schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const props: unknown = (value as { "~standard"?: unknown })["~standard"];
  return isJsonObject(props) && props.version === 1 && typeof props.validate === "function";
}

/**
 * The JSON Schema (2020-12) of the values that a schema accepts (`input`) or returns (`output`). Throws Error if the library
 * cannot convert the schema.
 */
export function toJsonSchema(schema: StandardSchema, direction: "input" | "output"): JsonObject {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) throw new Error(`a schema of ${vendor} has no JSON Schema: ${remedyFor(vendor)}`);
  const converted = convert(vendor, jsonSchema, direction);
  if (!isJsonObject(converted)) {
    throw new Error(`the JSON Schema of a schema of ${vendor} must be an object, got ${nameOf(converted)}`);
  }
  return converted;
}

function convert(vendor: string, converter: StandardJsonSchemaConverter, direction: "input" | "output"): unknown {
  try {
    return converter[direction]({ target: "draft-2020-12" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`a schema of ${vendor} has no JSON Schema for its ${direction}: ${reason}`, { cause });
  }
}

function remedyFor(vendor: string): string {
  if (vendor === "valibot") return "wrap it in toStandardJsonSchema of @valibot/to-json-schema";
  if (vendor === "zod") return "zod has it from version 4.2 on";
  return "it needs ~standard.jsonSchema, the Standard JSON Schema trait";
}
