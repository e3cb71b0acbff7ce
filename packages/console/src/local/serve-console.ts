// A local server of the console for a gateway elsewhere: it serves the files and forwards requests to that gateway, and to no other
// address. Only pages of its own origin on this machine may use it.
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { answerConsole, type ConsoleSettings, consolePath } from "../site/answer-console.ts";

export interface ServeConsoleOptions {
  /** Whose origin gets the forwarded requests. */
  readonly gateway: URL;
  /** The paths that are forwarded, and the name that the page shows. */
  readonly settings: ConsoleSettings;
  /** Sent with every forwarded request, by lower-case name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a free port. */
  readonly port?: number;
}

/** A running console. */
export interface ServedConsole {
  readonly url: string;
  close(): Promise<void>;
}

/** Rejects with Error if the port is not available. */
export async function serveConsole(options: ServeConsoleOptions): Promise<ServedConsole> {
  const server = createServer((request, response) => void answer(request, response, options));
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${consolePath}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Browsers open six per page. */
const maxConnections = 64;
/** They describe one connection, or would make the gateway believe that another page asks. */
const droppedHeaders = new Set([
  ...["host", "origin", "referer", "cookie", "connection", "keep-alive", "proxy-authorization", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "forwarded", "via", "x-forwarded-for", "x-real-ip", "set-cookie"],
]);

async function answer(request: IncomingMessage, response: ServerResponse, options: ServeConsoleOptions): Promise<void> {
  const { settings } = options;
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  if (!isOwnPage(request)) return end(response, 403, "only for pages of this server on this machine");
  if (path === "/") return end(response, 302, "", { Location: `${consolePath}/` });
  if (isBelow(path, settings.admin) || isBelow(path, settings.mcp)) return forward(request, response, options);
  if (!isBelow(path, consolePath)) return end(response, 404, "not found");
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  const answered = await answerConsole({ verb: request.method ?? "GET", path, header }, settings);
  response.writeHead(answered.status, answered.headers);
  response.end(request.method === "HEAD" ? undefined : (answered.bytes ?? answered.body));
}

/** Refuses pages of other origins, and pages whose name was rebound to this machine. */
function isOwnPage({ headers: { host = "", origin }, socket }: IncomingMessage): boolean {
  const isOwnName = ["127.0.0.1", "localhost"].some((name) => host === `${name}:${socket.localPort}`);
  return isOwnName && (origin === undefined || origin === `http://${host}`);
}

function isBelow(path: string, base: string | undefined): boolean {
  return base !== undefined && (path === base || path.startsWith(`${base}/`));
}

function end(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Type": "text/plain", ...headers });
  response.end(text);
}

function forward(request: IncomingMessage, response: ServerResponse, { gateway, headers }: ServeConsoleOptions): void {
  const url = new URL(request.url ?? "/", gateway);
  // A path such as "//elsewhere" names another host.
  if (url.origin !== gateway.origin) {
    end(response, 400, "not a path");
    return;
  }
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const own = { ...kept(request.headers), ...headers };
  const sent = send(url, { method: request.method, headers: own }, (received) => {
    response.writeHead(received.statusCode ?? 502, kept(received.headers));
    pipeline(received, response, () => {});
  });
  sent.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else end(response, 502, `${gateway.origin} cannot be reached: ${error.message}`);
  });
  response.on("close", () => sent.destroy());
  pipeline(request, sent, () => {});
}

function kept(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const entries = Object.entries(headers).filter(([name, value]) => value !== undefined && !droppedHeaders.has(name));
  return Object.fromEntries(entries) as Record<string, string | string[]>;
}
