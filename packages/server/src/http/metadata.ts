// The protected resource metadata of RFC 9728 at its well-known paths (G-2): for everybody, from everywhere.
import { metadataHeaders } from "../auth/resource-metadata.ts";
import type { HttpAnswer } from "./answers.ts";
import type { ServableLookup } from "./servable.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** Clients send their usual headers when they ask for it, so that browsers ask first. */
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
  /** Whose metadata is meant where the path of the request leads to no server, as that of a proxy in front may not. */
  defaultPath: string;
}

/** Undefined for every other path, and for a server that does not say where its tokens come from. */
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
