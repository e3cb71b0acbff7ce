// Elicitation (E.11): a server asks the user for input, with a form or a URL.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** A text field. */
export interface StringSchema {
  type: "string";
  title?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
}

/** A number field. */
export interface NumberSchema {
  type: "number" | "integer";
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  default?: number;
}

/** A checkbox. */
export interface BooleanSchema {
  type: "boolean";
  title?: string;
  description?: string;
  default?: boolean;
}

/** A choice with a title. */
export interface TitledConst {
  const: string;
  title: string;
}

// J-75
/** A choice of one string. `enumNames` is the former spelling of titles: accepted, and sent only if the author wrote it. */
export interface SingleEnumSchema {
  type: "string";
  title?: string;
  description?: string;
  enum?: string[];
  enumNames?: string[];
  oneOf?: TitledConst[];
  default?: string;
}

/** A choice of several strings. */
export interface MultiEnumSchema {
  type: "array";
  title?: string;
  description?: string;
  items: { type?: "string"; enum?: string[]; anyOf?: TitledConst[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

/** A field of a form. */
export type FieldSchema = StringSchema | NumberSchema | BooleanSchema | SingleEnumSchema | MultiEnumSchema;

// E-86
/** The schema of a form: a flat object with primitive fields. */
export interface ElicitSchema {
  $schema?: string;
  type: "object";
  properties: { [field: string]: FieldSchema };
  required?: string[];
}

/** Params of a form elicitation. */
export interface ElicitFormParams {
  /** Absent means form. */
  mode?: "form";
  message: string;
  requestedSchema: ElicitSchema;
}

/** Params of a URL elicitation. */
export interface ElicitUrlParams {
  mode: "url";
  message: string;
  url: string;
}

/** An elicitation request. */
export interface ElicitRequest {
  method: "elicitation/create";
  params: ElicitFormParams | ElicitUrlParams;
}

/** The value of a field. */
export type ElicitValue = string | number | boolean | string[];

// E-87
// E-87
/** The user's response. Only an accepted form has `content`. Accepting a URL is consent, not completion. */
export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: { [field: string]: ElicitValue };
}

/** True if `value` has the shape of an elicitation result. The asker validates the content against its schema. */
export function isElicitResult(value: unknown): value is ElicitResult {
  if (!isJsonObject(value)) return false;
  const { action, content } = value as JsonObject;
  if (action !== "accept" && action !== "decline" && action !== "cancel") return false;
  return content === undefined || isJsonObject(content);
}
