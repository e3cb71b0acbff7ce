// Sends the user to the authorization server and listens on this machine for the way back (RFC 8252 section 7.3).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthorizationError } from "../auth/authorization-error.ts";
import { openBrowser } from "./open-browser.ts";

export interface LoopbackRedirectOptions {
  /** Default: a free one. Clients registered in advance often need a fixed one. */
  port?: number;
  /** Default "/callback". */
  path?: string;
  /** How long the user may take, in milliseconds. Default 300 000. */
  timeoutMs?: number;
  /** Shows the URL to the user. Default: prints it to stderr and opens a browser. */
  open?: (url: URL) => unknown;
}

/** To be spread into the options of `authorizationCode`. */
export interface LoopbackRedirect {
  redirectUrl(): Promise<URL>;
  redirect(url: URL, options: { signal: AbortSignal }): Promise<URL>;
}

export function createLoopbackRedirect(options: LoopbackRedirectOptions = {}): LoopbackRedirect {
  const { port = 0, path = "/callback", timeoutMs = 300_000, open = showToUser } = options;
  let listening: Promise<Listener> | undefined;

  function listen(): Promise<Listener> {
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
      return listener.receive(url, signal, open);
    },
  };
}

async function showToUser(url: URL): Promise<void> {
  console.error(`Open this page to authorize: ${url.href}`);
  await openBrowser(url);
}

interface Listener {
  readonly url: URL;
  receive(url: URL, signal: AbortSignal, open: (url: URL) => unknown): Promise<URL>;
}

interface ListenerOptions extends Required<Pick<LoopbackRedirectOptions, "port" | "path" | "timeoutMs">> {
  readonly onClose: () => void;
}

/** Closes itself after one callback, or when the time is up. */
async function startListener({ port, path, timeoutMs, onClose }: ListenerOptions): Promise<Listener> {
  let take: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => answer(response, 404);
  const server = createServer((request, response) => take(request, response));
  await listenOn(server, port);
  // Nobody waits yet.
  server.unref();
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  let giveUp: (error: unknown) => void = () => {};
  const timer = setTimeout(() => close(new AuthorizationError("timeout", tooLate(timeoutMs))), timeoutMs);
  timer.unref();

  function close(error?: unknown): void {
    clearTimeout(timer);
    server.close();
    server.closeIdleConnections();
    onClose();
    giveUp(error);
  }

  return {
    url,
    async receive(target, signal, open) {
      if (signal.aborted) close();
      signal.throwIfAborted();
      server.ref();
      const onAbort = () => close(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      const state = target.searchParams.get("state");
      const callback = new Promise<URL>((resolve, reject) => {
        giveUp = reject;
        take = (request, response) => {
          const came = new URL(request.url ?? "/", url);
          if (request.method !== "GET" || came.pathname !== url.pathname) return answer(response, 404);
          // Any page in the user's browser can send requests here; only the answer to ours knows the state.
          if (came.searchParams.get("state") !== state) return answer(response, 400);
          answer(response, 200);
          resolve(came);
        };
      });
      // What `open` throws may come first.
      callback.catch(() => {});
      try {
        await Promise.race([callback, open(target)]);
        return await callback;
      } finally {
        signal.removeEventListener("abort", onAbort);
        close();
      }
    },
  };
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `cannot listen on port ${port} for the user to come back: ${cause.message}; choose another port`;
      reject(new AuthorizationError("failed", message, { cause }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}

const pages: Readonly<Record<number, string>> = {
  200: "Thank you. You can close this page and go back to your program.",
  400: "This is not the answer that the program waits for.",
  404: "There is nothing here.",
};

/** Repeats nothing of the request, and keeps no connection that would hold the process. */
function answer(response: ServerResponse, status: 200 | 400 | 404): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(pages[status]);
}

function tooLate(timeoutMs: number): string {
  return `the user did not come back from the authorization server within ${timeoutMs} ms; try again`;
}
