// Sends every authorization request: secure URLs only, no redirects, and limits on time and size (G-50, G-51).
import { ByteBuilder, isJsonObject, type JsonObject } from "@lethe/protocol";
import { AuthorizationError, isAuthorizationError } from "./authorization-error.ts";
import { isLocalName, parseSecureUrl } from "./secure-url.ts";

/** Any `fetch`. On Node, `createGuardedFetch` also rejects hosts that resolve to a private address. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface AuthFetchOptions {
  fetch?: Fetch | undefined;
  /** Time limit of each request, in ms. Default 30 000. */
  timeoutMs?: number | undefined;
  /** Largest response body, in bytes. Default 1 MiB. */
  maxBytes?: number | undefined;
}

// G-51
/**
 * The global fetch, but a public server cannot name a local address. It does not see DNS: on Node,
 * `createGuardedFetch` also checks the resolved addresses.
 */
export function createNameGuardedFetch(server: URL, trustedUrls: readonly string[]): Fetch {
  const allowed = new Set(
    [server.href, ...trustedUrls].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin),
  );
  return async (text, init) => {
    const url = new URL(text);
    if (!isLocalName(server) && isLocalName(url) && !allowed.has(url.origin)) {
      throw new TypeError(`${server.host} is not local, but names a local address: ${url.host}`);
    }
    return globalThis.fetch(text, init);
  };
}

/** Sends one request and reads the whole body. Throws AuthorizationError. */
export type AuthFetch = (url: string, init?: RequestInit) => Promise<Response>;

export function createAuthFetch(options: AuthFetchOptions = {}): AuthFetch {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, maxBytes = 1024 * 1024 } = options;

  return async (url, init = {}) => {
    const { origin, pathname } = parseSecureUrl(url, "the URL of an authorization request");
    const name = origin + pathname;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const response = await fetch(url, { ...init, redirect: "manual", signal });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel();
        throw invalidAnswer(`${name} redirects elsewhere; redirects are not followed here`, response.status);
      }
      const text = await readText(response, maxBytes, name);
      return new Response(text === "" ? null : text, { status: response.status, headers: response.headers });
    } catch (thrown) {
      if (init.signal?.aborted) throw init.signal.reason;
      if (isAuthorizationError(thrown)) throw thrown;
      const why = timeout.aborted ? `did not answer within ${timeoutMs} ms` : "cannot be reached";
      throw new AuthorizationError("invalid_answer", `${name} ${why}`, { cause: thrown });
    }
  };
}

/** Fetches the JSON document at `url`. Returns the status if there is none. */
export async function readJson(
  fetch: AuthFetch,
  url: string,
  signal: AbortSignal,
): Promise<{ status: number; document?: JsonObject }> {
  const response = await fetch(url, { headers: { accept: "application/json" }, signal });
  if (response.status !== 200) return { status: response.status };
  const document: unknown = await response.json().catch(() => undefined);
  return isJsonObject(document) ? { status: 200, document } : { status: 200 };
}

async function readText(response: Response, maxBytes: number, name: string): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const body = new ByteBuilder(maxBytes);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (body.length + part.value.byteLength > maxBytes) {
      await reader.cancel();
      throw invalidAnswer(`the answer of ${name} is larger than ${maxBytes} bytes`, response.status);
    }
    body.append(part.value);
  }
  return new TextDecoder().decode(body.bytes());
}

function invalidAnswer(message: string, status: number): AuthorizationError {
  return new AuthorizationError("invalid_answer", message, { status });
}
