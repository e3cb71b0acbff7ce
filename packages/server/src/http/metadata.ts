// The protected resource metadata of RFC 9728 at its well-known paths (G-2): readable by everybody from everywhere.
import { type HttpAnswer, toJsonAnswer } from "./answers.ts";
import type { ServableLookup } from "./servable.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * `/.well-known/oauth-protected-resource/<endpoint path>`, and without a path that of `defaultPath`. Undefined for every
 * other path, and for a server without authorization.
 */
export function toMetadataAnswer(path: string, lookup: ServableLookup, defaultPath: string): HttpAnswer | undefined {
  if (!path.startsWith(wellKnown)) return undefined;
  const endpoint = path.slice(wellKnown.length);
  const metadata = lookup(endpoint === "" || endpoint === "/" ? defaultPath : endpoint)?.authenticator?.metadata;
  return metadata && toJsonAnswer(200, JSON.stringify(metadata), { "Access-Control-Allow-Origin": "*" });
}
