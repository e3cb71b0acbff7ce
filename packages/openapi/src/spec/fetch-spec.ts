// Loads a spec from a URL.
import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";
import { defaultMaxBytes, knownSpecLimits, parseSpec, type SpecLimits, tooLong } from "./parse-spec.ts";
import { readBody } from "./read-body.ts";

/** Options of `fetchSpec` and `readSpec`. */
export interface FetchSpecOptions extends SpecLimits {
  /** Headers of the request, such as credentials. Redirects to other origins are then not followed. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** Time limit, in ms. Default 30,000. */
  timeoutMs?: number;
  /** Sends the request. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export const knownFetchSpecOptions: KnownOptions<FetchSpecOptions> = {
  ...knownSpecLimits,
  headers: true,
  timeoutMs: true,
  fetch: true,
};

/**
 * Loads an OpenAPI document from an http or https URL. Redirects are followed if the request has no `headers` of its own. Rejects with an
 * Error if the document cannot be loaded within the limits, or is neither JSON nor YAML.
 *
 * @example
 * import { fetchSpec } from "@lethe/openapi";
 *
 * const spec = await fetchSpec("https://api.example/openapi.json", { fetch: async () => new Response('{ "openapi": "3.1.0" }') });
 * console.log(spec.openapi); // 3.1.0
 */
export async function fetchSpec(url: string | URL, options: FetchSpecOptions = {}): Promise<JsonObject> {
  checkOptions("fetchSpec", options, knownFetchSpecOptions);
  const { headers, timeoutMs = 30_000, maxBytes = defaultMaxBytes, fetch: send = fetch } = options;
  const target = new URL(url);
  const shown = `${target.origin}${target.pathname}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const accept = "application/json, application/yaml, text/yaml, */*;q=0.5";
  const redirect = headers ? "error" : "follow";
  const response = await send(target, { headers: { accept, ...headers }, redirect, signal }).catch((cause) => {
    throw new Error(`the spec at ${shown} cannot be loaded: ${reasonOf(cause)}`, { cause });
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the spec at ${shown} cannot be loaded: HTTP ${response.status}`);
  }
  const { bytes, isComplete } = await readBody(response, maxBytes);
  if (!isComplete) throw tooLong(maxBytes);
  return parseSpec(new TextDecoder().decode(bytes), { maxBytes });
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown } };
  return [message, cause?.code].filter((part) => typeof part === "string").join(", ");
}
