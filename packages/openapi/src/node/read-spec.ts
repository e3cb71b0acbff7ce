// Reads a spec from a file or a URL.
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { checkOptions, type JsonObject } from "@lethe/protocol";
import { type FetchSpecOptions, fetchSpec, knownFetchSpecOptions } from "../spec/fetch-spec.ts";
import { defaultMaxBytes, parseSpec, tooLong } from "../spec/parse-spec.ts";

/**
 * Reads an OpenAPI document, JSON or YAML, from a path, a `file:` URL or an http or https URL. Rejects with an Error if it cannot be read
 * within the limits.
 *
 * @example
 * import { writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readSpec } from "@lethe/openapi/node";
 *
 * const path = join(tmpdir(), "example-spec.yaml");
 * await writeFile(path, "openapi: 3.1.0\npaths: {}\n");
 * console.log((await readSpec(path)).openapi); // 3.1.0
 */
export async function readSpec(source: string | URL, options: FetchSpecOptions = {}): Promise<JsonObject> {
  checkOptions("readSpec", options, knownFetchSpecOptions);
  const text = String(source);
  if (/^https?:\/\//i.test(text)) return fetchSpec(text, options);
  const { maxBytes = defaultMaxBytes } = options;
  const file = await open(/^file:/i.test(text) ? fileURLToPath(text) : text);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw tooLong(maxBytes);
    return parseSpec(await file.readFile("utf8"), { maxBytes });
  } finally {
    await file.close();
  }
}
