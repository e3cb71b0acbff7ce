// The interface of a JSON Schema validator. The code that creates a server chooses the library.
import type { JsonObject } from "../jsonrpc/message.ts";

/** One problem that a validation found. */
export interface SchemaIssue {
  /** JSON Pointer of the invalid value; "" is the whole value. */
  path: string;
  message: string;
}

/** The compiled validator of one schema. */
export interface SchemaValidator {
  /** Empty for a valid value. */
  validate(value: unknown): readonly SchemaIssue[];
}

/** Creates the validator of a schema, once per schema. Throws Error for a schema that it cannot compile. */
export type CreateValidator = (schema: JsonObject) => SchemaValidator;
