// What this project asks of a JSON Schema validator. The library behind it is chosen where servers are made.
import type { JsonObject } from "../jsonrpc/message.ts";

export interface SchemaIssue {
  /** JSON Pointer of the value that is wrong; "" is the whole value. */
  path: string;
  message: string;
}

export interface SchemaValidator {
  /** Empty when the value is valid. */
  validate(value: unknown): readonly SchemaIssue[];
}

/** Called once per schema, not per call. Throws Error for a schema that it cannot take. */
export type CreateValidator = (schema: JsonObject) => SchemaValidator;
