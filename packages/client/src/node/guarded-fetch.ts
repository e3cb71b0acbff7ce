// The fetch of authorization on Node (G-51): a public server cannot make this program send requests to private addresses,
// while a server in this network may name authorization servers beside it.

import type { AgentOptions } from "node:https";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { Fetch } from "../auth/auth-fetch.ts";
import type { FindForwardProxy } from "./forward-proxy.ts";
import { createHttpFetch } from "./http-fetch.ts";
import { type AddressRules, createPublicLookup, internetRules, requirePublicUrl } from "./public-fetch.ts";

/** The addresses that may always be contacted. */
export interface GuardedFetchOptions {
  /** The MCP server. Its origin may always be contacted. */
  server: string | URL;
  /** URLs that the host configured, such as the issuer of its client. Their origins may always be contacted. */
  trusted?: readonly string[];
}

const knownGuardedFetchOptions: KnownOptions<GuardedFetchOptions> = { server: "a value", trusted: true };

/** For tests. */
export interface GuardedFetchParts {
  readonly rules?: AddressRules;
  readonly tls?: AgentOptions;
  readonly findProxy?: FindForwardProxy;
}

/**
 * Creates a `fetch` for the authorization of one server; create another one for each further server. Follows no redirect. After the first
 * response from a public address, it fetches only https URLs at public addresses, except at the origins of `server` and `trusted`. It checks
 * an address when it opens the connection. Responses of trusted URLs do not count, because the host vouches for them. Uses the proxy of the
 * environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); its responses count as those of public addresses. Rejects with TypeError or Error for an
 * address that is not allowed.
 *
 * @example
 * import { createGuardedFetch } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const fetch = createGuardedFetch({ server: serving.url, trusted: ["https://auth.example.com"] });
 * const response = await fetch(serving.url, { method: "POST", body: "{}" });
 * console.log(response.ok); // false
 * await serving.close();
 */
export function createGuardedFetch(options: GuardedFetchOptions, parts: GuardedFetchParts = {}): Fetch {
  checkOptions("createGuardedFetch", options, knownGuardedFetchOptions);
  const { rules = internetRules, ...others } = parts;
  const send = createHttpFetch(others);
  const lookupPublic = createPublicLookup(rules);
  const own = new URL(options.server).origin;
  const trusted = new Set((options.trusted ?? []).filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
  let isOnline = false;

  return async (url, init) => {
    const target = new URL(url);
    const isTrusted = trusted.has(target.origin);
    const isGuarded = isOnline && !isTrusted && target.origin !== own;
    if (isGuarded) requirePublicUrl(target, rules);
    const { response, address } = await send(url, init, { lookup: isGuarded ? lookupPublic : rules.lookup, isGuarded });
    // A connection that has closed already has no address, so its response is not trusted.
    if (!isTrusted) isOnline ||= address === undefined || !rules.isPrivate(address);
    return response;
  };
}
