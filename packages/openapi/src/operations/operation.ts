// An operation of the spec as the rest of this package uses it.
import type { JsonObject } from "@lethe/protocol";

export const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
export type Method = (typeof methods)[number];

export type Style =
  | "form"
  | "simple"
  | "label"
  | "matrix"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  /** The value as JSON. */
  | "json";

/** How a value is written. */
export interface Serialization {
  readonly style: Style;
  readonly explode: boolean;
  /** Whether reserved characters stay as they are. Only in queries. */
  readonly allowReserved: boolean;
}

export interface Parameter extends Serialization {
  /** The name of the argument. */
  readonly argument: string;
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
}

export interface RequestBody {
  readonly kind: "json" | "form" | "multipart";
  /** The `content-type` of the request. Multipart bodies set their own. */
  readonly mediaType: string;
  /** How properties of a form are written, where the spec says so. */
  readonly encoding: ReadonlyMap<string, Serialization>;
}

/** The place of an operation in the spec, before its parts are read. */
export interface FoundOperation {
  readonly method: Method;
  readonly path: string;
  /** Unique, and a legal name of a tool. */
  readonly name: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly pathItem: JsonObject;
  readonly operation: JsonObject;
}

export interface Operation {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  /** The URL before the path, without a slash at its end. */
  readonly baseUrl: string;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** The schemes of the credentials that a request gets. */
  readonly schemes: readonly string[];
  readonly inputSchema: JsonObject;
  /** Of the JSON object that a successful response contains. */
  readonly outputSchema: JsonObject | undefined;
}
