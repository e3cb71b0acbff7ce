// A gateway served in this process in front of Lethe servers, used over HTTP.
import { type JsonObject, metaKey, targetNameOf } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { vi } from "vitest";
import { type ServedGateway, serveGateway } from "../app.ts";
import type { ReadConfig } from "../config/read-config.ts";
import { parseSourceFile } from "../config/source-file.ts";
import { toConfig } from "../config/to-config.ts";
import type { LogEntry } from "../operate/observe/log.ts";

export interface Upstreams extends AsyncDisposable {
  /** By name. */
  readonly urls: Readonly<Record<string, string>>;
  readonly servers: Readonly<Record<string, Server>>;
  /** The authorization header of each request, by name. */
  readonly seen: Readonly<Record<string, (string | undefined)[]>>;
  /** How many calls of `hold` have begun. */
  readonly holding: number;
  letGo(): void;
}

/** Each server has the tools `read`, `write` and `hold`, a prompt and a resource. `hold` answers when it is let go. */
export async function startUpstreams(...names: string[]): Promise<Upstreams> {
  let letGo = (): void => {};
  let holding = 0;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const started = await Promise.all(
    names.map(async (name) => {
      const seen: (string | undefined)[] = [];
      const server = createServer({ name, version: "1.0.0" });
      for (const tool of ["read", "write"])
        server.tool(tool, { inputSchema: { type: "object" }, handler: () => `${name} ${tool}` });
      server.tool("hold", {
        async handler() {
          holding += 1;
          await held;
          return `${name} held`;
        },
      });
      server.prompt("greet", { handler: () => `hello from ${name}` });
      server.resourceTemplate("note:{id}", { name: "note", handler: ({ id }) => `${name} note ${id}` });
      server.resource(`memo:${name}`, { name: "memo", handler: () => `memo of ${name}` });
      const watched = {
        ...server,
        dispatch: (...[request, exchange]: Parameters<Server["dispatch"]>) => {
          seen.push(exchange.headers?.("authorization"));
          return server.dispatch(request, exchange);
        },
      };
      return { name, server, seen, serving: await serve(watched, { port: 0 }) };
    }),
  );
  const byName = <T>(pick: (one: (typeof started)[number]) => T) =>
    Object.fromEntries(started.map((one) => [one.name, pick(one)]));
  return {
    urls: byName(({ serving }) => serving.url),
    servers: byName(({ server }) => server),
    seen: byName(({ seen }) => seen),
    get holding() {
      return holding;
    },
    letGo,
    async [Symbol.asyncDispose]() {
      letGo();
      await Promise.all(started.map(({ serving }) => serving.close({ graceMs: 0 })));
    },
  };
}

export interface Operated extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly log: LogEntry[];
  /** Replaces the configuration that the next reload reads. */
  write(document: object): void;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends one request and returns the response as soon as it starts. */
  begin(method: string, params?: object, options?: AskOptions): Promise<Response>;
  /** Sends one request and returns the parsed response. */
  ask(method: string, params?: object, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  key?: string;
  path?: string;
  capabilities?: object;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  body: any;
}

export async function operate(document: object): Promise<Operated> {
  let text = JSON.stringify(document);
  const log: LogEntry[] = [];
  const load = async (): Promise<ReadConfig> => toConfig([parseSourceFile("lethe.json", text)], { environment: {} });
  const served = await serveGateway({ load, settings: { port: 0 }, watches: false, log: (entry) => log.push(entry) });
  await served.gateway.settled;
  await vi.waitFor(async () => {
    if ((await fetch(new URL("/readyz", served.url))).status !== 200) throw new Error("not ready");
  });
  const get: Operated["get"] = (path, headers = {}) => fetch(new URL(path, served.url), { headers });
  const begin: Operated["begin"] = (method, params = {}, { key, path = "/mcp", capabilities = {} } = {}) => {
    const name = targetNameOf(method, params as JsonObject);
    return fetch(new URL(path, served.url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: capabilities },
        },
      }),
    });
  };
  return {
    served,
    log,
    begin,
    write(next) {
      text = JSON.stringify(next);
    },
    get,
    async ask(...request) {
      const response = await begin(...request);
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}
