// Serves the protected resource metadata of RFC 9728 at its well-known paths (G-2), without checks of caller, host or origin.
import { metadataHeaders } from "../auth/resource-metadata.ts";
import type { HttpAnswer } from "./answers.ts";
import type { ServableLookup } from "./servable.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** Browsers send a preflight, because clients request the metadata with their usual headers. */
const preflightAnswer: HttpAnswer = {
  status: 204,
  headers: {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET",
    "Access-Control-Allow-Headers": "*",
  },
  body: "",
};

export interface MetadataRequest {
  verb: string;
  path: string;
  /** The path of the server if the requested path leads to none, which happens behind a proxy that changes paths. */
  defaultPath: string;
}

/** Returns undefined for every other path, and for a server without metadata. */
export function toMetadataAnswer(lookup: ServableLookup, request: MetadataRequest): HttpAnswer | undefined {
  const { verb, path, defaultPath } = request;
  if (verb !== "GET" && verb !== "OPTIONS") return undefined;
  const servable = lookup(path.slice(wellKnown.length)) ?? lookup(defaultPath);
  const { metadata, metadataPaths } = servable?.authenticator ?? {};
  if (!metadata || !metadataPaths?.includes(path)) return undefined;
  return verb === "OPTIONS"
    ? preflightAnswer
    : { status: 200, headers: metadataHeaders, body: JSON.stringify(metadata) };
}

export function isMetadataPath(path: string): boolean {
  return path.startsWith(wellKnown);
}
