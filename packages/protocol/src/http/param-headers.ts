// `x-mcp-header`: declares, writes and checks tool arguments that are repeated as `Mcp-Param-*` headers (B.4).

import { type SchemaPlace, walkSchema } from "../json-schema/walk-schema.ts";
import { headerMismatch, invalidParams } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import type { HeaderReader } from "./mirrored-headers.ts";

/** A tool argument that a header repeats. */
export interface ParamHeader {
  /** Lower case, for example "mcp-param-region". */
  header: string;
  /** The property names from the arguments object to the value. */
  path: readonly string[];
  type: "string" | "integer" | "boolean";
}

const annotation = "x-mcp-header";
const headerPrefix = "mcp-param-";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// B-50 to B-52, B-53
/**
 * Reads the annotations of an input schema. Throws an Error with the location of an invalid annotation. A server must not
 * offer such a tool, and a client drops it from the list.
 */
export function parseParamHeaders(inputSchema: JsonObject): readonly ParamHeader[] {
  const declared: ParamHeader[] = [];
  const placeOf = new Map<string, string>();
  walkSchema(inputSchema, {}, (place) => {
    if (!Object.hasOwn(place.schema, annotation)) return;
    const parsed = parseAnnotation(place);
    const twin = placeOf.get(parsed.header);
    if (twin !== undefined) throw invalid(place, `repeats the header of ${twin}`);
    placeOf.set(parsed.header, place.pointer);
    declared.push(parsed);
  });
  return declared;
}

function parseAnnotation(place: SchemaPlace): ParamHeader {
  const { schema, properties: path } = place;
  const name = schema[annotation];
  if (typeof name !== "string" || !token.test(name)) {
    throw invalid(place, `must be an RFC 9110 token, got ${JSON.stringify(name)}`);
  }
  if (path === undefined) throw invalid(place, 'must be reachable through "properties" alone');
  if (path.length === 0) throw invalid(place, "must be on a property");
  const { type } = schema;
  if (type !== "string" && type !== "integer" && type !== "boolean") {
    throw invalid(place, `must be on a string, an integer or a boolean, got type ${JSON.stringify(type) ?? "nothing"}`);
  }
  return { header: headerPrefix + name.toLowerCase(), path, type };
}

function invalid(place: SchemaPlace, expectation: string): Error {
  return new Error(`${annotation} at ${place.pointer === "" ? "the root" : place.pointer} ${expectation}`);
}

// B-39
/** Throws McpError -32020 unless each declared header is present exactly if its argument is, with the same value. */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject | undefined,
  headers: HeaderReader,
): void {
  for (const { header, path } of declared) {
    const argument = argumentAt(args, path);
    const value = headers(header);
    if (value === undefined) {
      if (isMirrored(argument)) throw headerMismatch(`${header} is missing`);
    } else if (!isSame(argument, decodeHeaderValue(value))) {
      // The message names no values: it may be logged where arguments must not be.
      throw headerMismatch(`${header} must be the same as arguments.${path.join(".")} in the body`);
    }
  }
}

// B-56, B-60
/** The headers of a call's arguments. Throws McpError -32602 for a number that is not an integer within ±(2^53-1). */
export function toParamHeaders(declared: readonly ParamHeader[], args: JsonObject | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of declared) {
    const argument = argumentAt(args, path);
    if (!isMirrored(argument)) continue;
    if (typeof argument === "number" && !Number.isSafeInteger(argument)) {
      throw invalidParams(`arguments.${path.join(".")} must be an integer within ±(2^53-1) to travel as ${header}`);
    }
    headers[header] = typeof argument === "string" ? encodeHeaderValue(argument) : String(argument);
  }
  return headers;
}

/** False for objects and arrays: they break the schema, whose error is clearer than one about headers. */
function isMirrored(argument: unknown): argument is string | number | boolean {
  return typeof argument === "string" || typeof argument === "number" || typeof argument === "boolean";
}

function argumentAt(args: JsonObject | undefined, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isJsonObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

function isSame(argument: unknown, text: string): boolean {
  switch (typeof argument) {
    case "string":
      return text === argument;
    case "number":
      return isSameNumber(argument, text);
    case "boolean":
      return text === (argument ? "true" : "false");
    default:
      return false;
  }
}

// B-38, J-43
/** 42.0 equals 42. Beyond 2^53-1 different texts become one number, so none of them matches. */
function isSameNumber(argument: number, text: string): boolean {
  return Math.abs(argument) <= Number.MAX_SAFE_INTEGER && decimal.test(text) && Number(text) === argument;
}
