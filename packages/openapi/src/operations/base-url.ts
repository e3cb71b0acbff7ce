// Finds the URL to which requests go.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import type { FoundOperation } from "./operation.ts";

/**
 * Returns the base URL of each operation: the given one, or the first server that the spec names. All have the same origin. Throws an Error
 * if there is no such URL.
 */
export function createBaseUrls(spec: Spec, given: string | URL | undefined): (found: FoundOperation) => string {
  if (given !== undefined) {
    const baseUrl = toBaseUrl(String(given));
    if (!baseUrl) throw new Error("baseUrl: an http or https URL without user, query and fragment expected");
    return () => baseUrl;
  }
  const first = firstServer(spec.root);
  const baseUrl = first === undefined ? undefined : toBaseUrl(first);
  if (!baseUrl) {
    throw new Error(`baseUrl is required, because the spec names no absolute http or https URL as its first server`);
  }
  const { origin } = new URL(baseUrl);
  return ({ operation, pathItem }) => {
    const own = firstServer(operation) ?? firstServer(pathItem);
    if (own === undefined) return baseUrl;
    const ownUrl = toBaseUrl(own, `${baseUrl}/`);
    if (ownUrl && new URL(ownUrl).origin === origin) return ownUrl;
    throw new SpecProblem(`it has a server of another origin, ${JSON.stringify(own.slice(0, 200))}: set baseUrl`);
  };
}

/** With its variables replaced by their defaults. */
function firstServer({ servers }: JsonObject): string | undefined {
  const [server] = Array.isArray(servers) ? servers : [];
  if (!isJsonObject(server) || typeof server.url !== "string") return undefined;
  const variables = isJsonObject(server.variables) ? server.variables : {};
  return server.url.replace(/\{([^{}]*)\}/g, (text, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) && typeof variable.default === "string" ? variable.default : text;
  });
}

/** Without a slash at its end. */
function toBaseUrl(text: string, relativeTo?: string): string | undefined {
  if (!URL.canParse(text, relativeTo)) return undefined;
  const url = new URL(text, relativeTo);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
