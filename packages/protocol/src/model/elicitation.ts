// Elicitation (E.11): questions to the user, by form or by URL.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

export interface StringSchema {
  type: "string";
  title?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
}

export interface NumberSchema {
  type: "number" | "integer";
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  default?: number;
}

export interface BooleanSchema {
  type: "boolean";
  title?: string;
  description?: string;
  default?: boolean;
}

export interface TitledConst {
  const: string;
  title: string;
}

/** `enumNames` is the legacy spelling of titles: accepted, and emitted only where an author wrote it (J-75). */
export interface SingleEnumSchema {
  type: "string";
  title?: string;
  description?: string;
  enum?: string[];
  enumNames?: string[];
  oneOf?: TitledConst[];
  default?: string;
}

export interface MultiEnumSchema {
  type: "array";
  title?: string;
  description?: string;
  items: { type?: "string"; enum?: string[]; anyOf?: TitledConst[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

export type FieldSchema = StringSchema | NumberSchema | BooleanSchema | SingleEnumSchema | MultiEnumSchema;

/** E-86: flat, one level of primitive fields. */
export interface ElicitSchema {
  $schema?: string;
  type: "object";
  properties: { [field: string]: FieldSchema };
  required?: string[];
}

export interface ElicitFormParams {
  /** Absent means form. */
  mode?: "form";
  message: string;
  requestedSchema: ElicitSchema;
}

export interface ElicitUrlParams {
  mode: "url";
  message: string;
  url: string;
}

export interface ElicitRequest {
  method: "elicitation/create";
  params: ElicitFormParams | ElicitUrlParams;
}

export type ElicitValue = string | number | boolean | string[];

/** E-87: `content` only with accept of a form. Accepting a URL is consent, not completion. */
export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: { [field: string]: ElicitValue };
}

/** The shape only; the content is checked against the question's schema by whoever asked. */
export function isElicitResult(value: unknown): value is ElicitResult {
  if (!isJsonObject(value)) return false;
  const { action, content } = value as JsonObject;
  if (action !== "accept" && action !== "decline" && action !== "cancel") return false;
  return content === undefined || isJsonObject(content);
}
