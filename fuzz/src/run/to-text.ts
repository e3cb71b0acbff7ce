// Writes an input as JSON text for a file, with base64 for bytes that are not UTF-8.
import { isUtf8 } from "node:buffer";

const longest = 1_000_000;

export function toText(input: unknown): string {
  if (input === undefined) return "";
  return (JSON.stringify(input, replace, 1) ?? String(input)).slice(0, longest);
}

function replace(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  if (original instanceof Uint8Array) {
    return isUtf8(original) ? Buffer.from(original).toString() : { base64: Buffer.from(original).toString("base64") };
  }
  return typeof value === "bigint" ? String(value) : value;
}
