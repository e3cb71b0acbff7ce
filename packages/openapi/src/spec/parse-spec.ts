// Reads the text of a spec, JSON or YAML.
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions, nameOf } from "@lethe/protocol";
import { parse } from "yaml";

/** Options of `parseSpec`, `fetchSpec` and `readSpec`. */
export interface SpecLimits {
  /** Limit of the text, in bytes. Default 8 MiB. */
  maxBytes?: number;
}

export const knownSpecLimits: KnownOptions<SpecLimits> = { maxBytes: true };

export const defaultMaxBytes: number = 8 * 1024 * 1024;
/** A YAML alias that repeats a large part multiplies the document. */
const maxAliases = 100;

/**
 * Reads an OpenAPI document from JSON or YAML text. Throws an Error for text that is neither, or too long. YAML aliases are resolved up to a
 * limit, and custom tags are not.
 *
 * @example
 * import { parseSpec } from "@lethe/openapi";
 *
 * console.log(parseSpec("openapi: 3.1.0").openapi); // 3.1.0
 */
export function parseSpec(text: string, options: SpecLimits = {}): JsonObject {
  checkOptions("parseSpec", options, knownSpecLimits);
  const { maxBytes = defaultMaxBytes } = options;
  // A character has at least one byte, so most texts that are too long need no count of their bytes.
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) throw tooLong(maxBytes);
  const value = toValue(text);
  if (!isJsonObject(value)) throw new Error(`the spec must be an object, got ${nameOf(value)}`);
  return value;
}

export function tooLong(maxBytes: number): Error {
  return new Error(`the spec is longer than ${maxBytes} bytes (maxBytes)`);
}

function toValue(text: string): unknown {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text);
  } catch {
    // YAML allows braces as well, and its parser names the line of the problem.
  }
  try {
    return parse(text, { maxAliasCount: maxAliases, prettyErrors: true, logLevel: "error" });
  } catch (error) {
    throw new Error(`the spec is neither JSON nor YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
