// The fetch of authorization on Node (G-51): a server on the internet cannot make this program send requests to private
// addresses, while a server on this machine or network may name authorization servers beside it.
import type { AgentOptions } from "node:https";
import type { Fetch } from "../auth/auth-fetch.ts";
import { createHttpFetch } from "./http-fetch.ts";
import { type AddressRules, createPublicLookup, internetRules, requirePublicUrl } from "./public-fetch.ts";

export interface GuardedFetchOptions {
  /** The MCP server. Its origin may always be contacted. */
  server: string | URL;
  /** URLs that the host configured, such as the issuer of its client. Their origins may always be contacted. */
  trusted?: readonly string[];
}

/** For tests. */
export interface GuardedFetchParts {
  readonly rules?: AddressRules;
  readonly tls?: AgentOptions;
}

/**
 * Follows no redirect. After the first response from an address that is not private, only https URLs at public addresses are fetched,
 * except at the origins above: what came over the internet must not lead into this network. Addresses are checked when the
 * connection is made. Responses of trusted URLs do not count: the host vouches for them.
 *
 * Serves one server: create one for each.
 */
export function createGuardedFetch(options: GuardedFetchOptions, parts: GuardedFetchParts = {}): Fetch {
  const { rules = internetRules, tls } = parts;
  const send = createHttpFetch(tls);
  const lookupPublic = createPublicLookup(rules);
  const own = new URL(options.server).origin;
  const trusted = new Set((options.trusted ?? []).filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
  let isOnline = false;

  return async (url, init) => {
    const target = new URL(url);
    const isTrusted = trusted.has(target.origin);
    const isGuarded = isOnline && !isTrusted && target.origin !== own;
    if (isGuarded) requirePublicUrl(target, rules);
    const { response, address } = await send(url, init, isGuarded ? lookupPublic : rules.lookup);
    // A connection that is gone already has no address: no reason to trust what it said.
    if (!isTrusted) isOnline ||= address === undefined || !rules.isPrivate(address);
    return response;
  };
}
