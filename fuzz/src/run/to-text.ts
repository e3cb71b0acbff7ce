// An input as text that fits a file and can be read again: JSON, with bytes as base64 where they are no UTF-8.
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
