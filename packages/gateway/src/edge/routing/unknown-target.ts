// The errors for names and URIs that lead to no upstream of an endpoint, or to several.
import { errorCode, invalidParams, McpError } from "@lethe/protocol";

export function unknownName(kind: "tool" | "prompt", name: string, shared: ReadonlySet<string>): McpError {
  if (!shared.has(name)) return invalidParams(`unknown ${kind}: ${name}`);
  return invalidParams(`unknown ${kind}: ${name}: several servers have it, under the names in ${kind}s/list`);
}

/** The number of URIs that an error names. */
const maxNamed = 10;

export function ambiguousUri(uri: string, candidates: readonly string[]): McpError {
  const named = candidates.slice(0, maxNamed);
  const message = `ambiguous resource: the URI must name the server: use ${named.join(" or ")}`;
  return invalidParams(message, { uri, candidates: named });
}

/** Several upstreams have a tool that an app calls by its own name. `names` are the public names. */
export function ambiguousTool(tool: string, names: readonly string[]): McpError {
  const named = names.slice(0, maxNamed);
  const way = `call ${named.join(" or ")}, or name the app by its public URI in _meta.ui.resourceUri`;
  return invalidParams(`ambiguous tool: ${tool}: several servers have it: ${way}`, { tool, candidates: named });
}

/** Several upstreams could serve a method that the core does not define. */
export function ambiguousMethod(requested: string, upstreams: readonly string[]): McpError {
  const named = upstreams.slice(0, maxNamed).map((upstream) => `/mcp/${upstream}`);
  const message = `method not found: ${requested}: several servers could serve it: use the endpoint of one, such as ${named.join(" or ")}`;
  return new McpError(errorCode.methodNotFound, message);
}
