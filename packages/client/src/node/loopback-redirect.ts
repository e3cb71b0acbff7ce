// Sends the user to the authorization server and waits on this machine for the redirect back (RFC 8252 section 7.3).

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { AuthorizationError } from "../auth/authorization-error.ts";
import { type LoopbackListener, startLoopbackListener } from "./loopback-listener.ts";
import { openBrowser } from "./open-browser.ts";

/** Where the user returns to, and how long that may take. */
export interface LoopbackRedirectOptions {
  /** Default: any free port. Clients registered in advance often need a fixed one. */
  port?: number;
  /** Path of the redirect URL. Default "/callback". */
  path?: string;
  /** Time limit for the user, in ms. Default 300 000. */
  timeoutMs?: number;
  /** Shows the URL to the user. Default: prints it to stderr and opens a browser. */
  open?: (url: URL) => unknown;
}

const knownLoopbackRedirectOptions: KnownOptions<LoopbackRedirectOptions> = {
  port: true,
  path: true,
  timeoutMs: true,
  open: true,
};

/** Spread the result into the options of `authorizationCode`. */
export interface LoopbackRedirect {
  /** Listens on the loopback port, and returns the URL that the user returns to. */
  redirectUrl(): Promise<URL>;
  /** `url` must contain a `state`. Only a request for the redirect URL with the same `state` ends the wait. */
  redirect(url: URL, options: { signal: AbortSignal }): Promise<URL>;
}

/**
 * Creates `redirectUrl` and `redirect` for `authorizationCode`: it opens the authorization page in a browser and waits on a loopback
 * port for the user to return, 300,000 ms by default. `redirect` rejects with AuthorizationError "timeout" after that time, and with the
 * reason of its signal.
 *
 * @example
 * import { createLoopbackRedirect } from "@lethe/client/node";
 *
 * // In place of a browser, this user grants access at once.
 * const open = async (url: URL) => {
 *   await fetch(`${url.searchParams.get("redirect_uri")}?code=c&state=${url.searchParams.get("state")}`);
 * };
 * const { redirectUrl, redirect } = createLoopbackRedirect({ timeoutMs: 60_000, open });
 * const url = new URL("https://auth.example.com/authorize?state=s");
 * url.searchParams.set("redirect_uri", (await redirectUrl()).href);
 * const returned = await redirect(url, { signal: AbortSignal.timeout(60_000) });
 * console.log(returned.pathname, returned.searchParams.get("code")); // /callback c
 */
export function createLoopbackRedirect(options: LoopbackRedirectOptions = {}): LoopbackRedirect {
  checkOptions("createLoopbackRedirect", options, knownLoopbackRedirectOptions);
  const { port = 0, path = "/callback", timeoutMs = 300_000, open = showToUser } = options;
  let listening: Promise<LoopbackListener> | undefined;

  function listen(): Promise<LoopbackListener> {
    listening ??= startListener({ port, path, timeoutMs, onClose: forget });
    listening.catch(forget);
    return listening;
  }

  function forget(): void {
    listening = undefined;
  }

  return {
    async redirectUrl() {
      return (await listen()).url;
    },
    async redirect(url, { signal }) {
      const listener = await listen();
      return redirectBy(listener, { url, signal, open });
    },
  };
}

async function showToUser(url: URL): Promise<void> {
  console.error(`Open this page to authorize: ${url.href}`);
  await openBrowser(url);
}

interface Redirection {
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly open: (url: URL) => unknown;
}

async function redirectBy(listener: LoopbackListener, { url, signal, open }: Redirection): Promise<URL> {
  const onAbort = () => listener.close(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const state = url.searchParams.get("state");
    if (!state) throw new AuthorizationError("failed", "expected an authorization URL with a state parameter");
    listener.ref();
    const callback = listener.receive(state);
    // `open` may throw before the redirect arrives.
    callback.catch(() => {});
    await Promise.race([callback, open(url)]);
    return await callback;
  } finally {
    signal.removeEventListener("abort", onAbort);
    listener.close();
  }
}

interface ListenerOptions extends Required<Pick<LoopbackRedirectOptions, "port" | "path" | "timeoutMs">> {
  readonly onClose: () => void;
}

/** Closes after one redirect, or at the time limit. */
async function startListener({ port, path, timeoutMs, onClose }: ListenerOptions): Promise<LoopbackListener> {
  const listener = await startLoopbackListener({ port, path });
  const timer = setTimeout(() => close(new AuthorizationError("timeout", tooLate(timeoutMs))), timeoutMs);
  timer.unref();

  function close(error?: unknown): void {
    clearTimeout(timer);
    onClose();
    listener.close(error);
  }

  return { ...listener, close };
}

function tooLate(timeoutMs: number): string {
  return `the user did not come back from the authorization server within ${timeoutMs} ms; try again`;
}
