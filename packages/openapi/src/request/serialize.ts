// Writes the value of a parameter in the styles of OpenAPI.
import { ToolError } from "@lethe/server";
import type { Serialization } from "../operations/operation.ts";

/** A name and a value, both encoded. */
export type Pair = readonly [name: string, value: string];

type Encode = (text: string) => string;

/** Nested objects of a parameter. */
const maxDepth = 16;

/** Encodes all but unreserved characters (RFC 3986). Throws ToolError for text that is not valid Unicode. */
export function encode(text: string): string {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch {
    throw new ToolError("an argument contains text that is not valid Unicode");
  }
}

/** Leaves reserved characters, except those that would end the value or add a parameter. */
function encodeReserved(text: string): string {
  return encode(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3D)/g, decodeURIComponent);
}

/** Writes a value as a part of a path (`simple`, `label`, `matrix`, `json`). */
export function toPathText(name: string, value: unknown, { style, explode }: Serialization): string {
  const items = itemsOf(value, encode);
  if (style === "json") return encode(JSON.stringify(value));
  if (style === "label") return `.${join(items, explode, explode ? "." : ",")}`;
  if (style === "matrix") return toMatrix(encode(name), value, items, explode);
  return join(items, explode, ",");
}

/** Writes a value as a header. Headers are not percent-encoded. */
export function toHeaderText(value: unknown, { style, explode }: Serialization): string {
  if (style === "json") return JSON.stringify(value);
  return join(itemsOf(value, String), explode, ",");
}

/** Writes a value as parameters of a query, a form or a cookie. */
export function toPairs(name: string, value: unknown, { style, explode, allowReserved }: Serialization): Pair[] {
  const encodeValue = allowReserved ? encodeReserved : encode;
  const key = encode(name);
  if (style === "json") return [[key, encodeValue(JSON.stringify(value))]];
  if (style === "deepObject") return deepPairs(key, value, encodeValue, 0);
  const items = itemsOf(value, encodeValue);
  if (isScalar(value)) return [[key, items[0]?.value ?? ""]];
  if (items.length === 0) return [];
  if (explode) return items.map((item) => [item.key ?? key, item.value]);
  const separator = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
  return [[key, join(items, false, separator)]];
}

interface Item {
  /** Undefined for a scalar and for an item of an array. */
  readonly key: string | undefined;
  readonly value: string;
}

/** The members of an object, the items of an array, or the value itself. Members without a value are left out. */
function itemsOf(value: unknown, encodeValue: Encode): Item[] {
  if (isScalar(value)) return [{ key: undefined, value: encodeValue(textOf(value)) }];
  if (Array.isArray(value)) return value.map((item) => ({ key: undefined, value: encodeValue(textOf(item)) }));
  const encodeKey = encodeValue === String ? String : encode;
  return Object.entries(value as object)
    .filter(([, member]) => member !== null && member !== undefined)
    .map(([key, member]) => ({ key: encodeKey(key), value: encodeValue(textOf(member)) }));
}

function join(items: readonly Item[], explode: boolean, separator: string): string {
  const between = explode ? "=" : separator;
  return items.map(({ key, value }) => (key === undefined ? value : `${key}${between}${value}`)).join(separator);
}

function toMatrix(name: string, value: unknown, items: readonly Item[], explode: boolean): string {
  const pair = (key: string, text: string) => (text === "" ? `;${key}` : `;${key}=${text}`);
  if (!explode || isScalar(value)) return pair(name, join(items, false, ","));
  return items.map((item) => pair(item.key ?? name, item.value)).join("");
}

/** OpenAPI defines one level. Deeper objects continue in the same way, and arrays repeat their name. */
function deepPairs(key: string, value: unknown, encodeValue: Encode, depth: number): Pair[] {
  if (depth > maxDepth) throw new ToolError(`an argument is nested deeper than ${maxDepth} levels`);
  if (value === null || value === undefined) return [];
  if (isScalar(value)) return [[key, encodeValue(textOf(value))]];
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(key, item, encodeValue, depth + 1));
  return Object.entries(value as object).flatMap(([name, member]) =>
    deepPairs(`${key}%5B${encode(name)}%5D`, member, encodeValue, depth + 1),
  );
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Text stays as it is, and any other value becomes JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
