// A fetch that reaches public addresses only (G-51), for URLs that come from servers.
import { type LookupAddress, lookup as lookupByName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Fetch } from "../auth/auth-fetch.ts";
import { createHttpFetch } from "./http-fetch.ts";
import { isPrivateAddress, isPublicAddress } from "./public-address.ts";

/**
 * Creates a `fetch` for URLs of servers that you do not trust. Allows https only, no redirects, and no private, local or reserved address.
 * It checks the address when it opens the connection, so a name that changes its address afterwards (DNS rebinding) has no effect. With a
 * proxy in the environment (HTTPS_PROXY, NO_PROXY), the proxy resolves names, and only addresses that this network knows are checked.
 * Rejects with TypeError or Error for an address that is not allowed.
 *
 * @example
 * import { createPublicFetch } from "@lethe/client/node";
 *
 * const fetch = createPublicFetch();
 * const refused = await fetch("https://169.254.169.254/latest", {}).catch((error: Error) => error.message);
 * console.log(refused); // 169.254.169.254 has an address that is not public
 */
export function createPublicFetch(): Fetch {
  const send = createHttpFetch();
  return async (url, init) => {
    requirePublicUrl(new URL(url));
    return (await send(url, init, { lookup: lookupPublic, isGuarded: true })).response;
  };
}

/** Replaces `dns.lookup`, for tests. */
export interface AddressRules {
  readonly lookup: LookupFunction;
  isPublic(address: string): boolean;
  isPrivate(address: string): boolean;
}

export const internetRules: AddressRules = {
  lookup: (hostname, options, callback) => lookupByName(hostname, options, callback as never),
  isPublic: isPublicAddress,
  isPrivate: isPrivateAddress,
};

/** Throws for a URL that cannot be public: a scheme other than https, or a literal address. */
export function requirePublicUrl({ protocol, hostname, host }: URL, rules: AddressRules = internetRules): void {
  if (protocol !== "https:") throw new TypeError(`only https URLs are fetched, got ${protocol}`);
  const literal = hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !rules.isPublic(literal)) throw notPublic(host);
}

/** A lookup that fails unless every address of the name is public. */
export function createPublicLookup({ lookup, isPublic }: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found as LookupAddress[];
      // The connection could use the private address among the public ones.
      if (!addresses.every(({ address }) => isPublic(address))) return callback(notPublic(hostname), []);
      if (options.all) return callback(null, addresses);
      const [{ address, family }] = addresses as [LookupAddress];
      callback(null, address, family);
    });
  };
}

export const lookupPublic: LookupFunction = createPublicLookup(internetRules);

function notPublic(host: string): Error {
  return new Error(`${host} has an address that is not public`);
}
