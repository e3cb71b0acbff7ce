// A gateway with authentication in front of a stateful, a modern and a task server, and two callers that speak to it by raw
// requests, so that tests can send what no client library sends.
import { fileURLToPath } from "node:url";
import { type JsonObject, McpError, metaKey, mirroredNameOf, tasksExtension } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { z } from "zod";
import { createReports } from "../../../examples/reports/src/reports.ts";
import { type Operated, operate } from "../../../packages/gateway/src/testing/operated.ts";

const keeper = fileURLToPath(new URL("../../servers/keeper.mjs", import.meta.url));

export type Name = "ann" | "bob";
export const keyOf: Readonly<Record<Name, string>> = {
  ann: "key-of-ann-0123456789",
  bob: "key-of-bob-0123456789",
};
export const adminKey = "key-of-admin-0123456789";
/** What the gateway sends to its upstreams. */
export const upstreamSecrets = { header: "header-of-modern-0123456789", variable: "variable-of-keeper-0123456789" };

export interface Reply {
  status: number;
  headers: Headers;
  /** The JSON of the body, or of its events. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  messages: any[];
  /** The ids of its events. */
  eventIds: string[];
  text: string;
}

export interface PostOptions {
  /** Undefined: the default gateway of the world. */
  gateway?: Operated;
  path?: string;
  /** Over the ones that a client sends; an empty text removes one. */
  headers?: Record<string, string>;
  meta?: JsonObject;
}

export interface World extends AsyncDisposable {
  readonly gateway: Operated;
  /** The same servers behind a gateway with other keys. */
  readonly other: Operated;
  /** The authorization and key headers that the modern server received. */
  readonly received: Set<string>;
  /** All text that each caller received. */
  readonly heard: Readonly<Record<Name, string[]>>;
  /** Sends any body. */
  post(name: Name | undefined, body: unknown, options?: PostOptions): Promise<Reply>;
  /** A request of 2026-07-28. */
  ask(name: Name | undefined, method: string, params?: JsonObject, options?: PostOptions): Promise<Reply>;
  /** Reads a stream until `isEnough`, or until it ends. */
  listen(name: Name, uris: object, isEnough: (text: string) => boolean): Listening;
}

export interface Listening {
  readonly text: () => string;
  readonly done: Promise<void>;
  stop(): void;
}

const capabilities = { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } };

function createModern(received: Set<string>) {
  const server = createServer({ name: "modern", version: "1.0.0" });
  const topic = z.object({ topic: z.string() });
  const form = z.object({ name: z.string() });
  for (const tool of ["approve", "refuse"]) {
    server.tool(tool, {
      input: topic,
      run: async ({ topic: about }, ctx) =>
        `${about}: ${tool} by ${(await ctx.elicit(`${tool} ${about}?`, form)).name}`,
    });
  }
  server.tool("work", {
    input: topic,
    async run({ topic: about }, ctx) {
      for (let step = 1; step <= 3; step += 1) {
        ctx.progress(step, 3, `progress of ${about}`);
        ctx.log("info", `log of ${about}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return about;
    },
  });
  server.tool("leak", {
    run() {
      const { header, variable } = upstreamSecrets;
      throw new McpError(-32000, `rejected ${header} and ${variable}`, { data: { sent: [header, variable] } });
    },
  });
  server.prompt("approve", { run: () => "approve?" });
  server.resourceTemplate("note://{name}", { name: "note", read: ({ name }) => `note ${name}` });
  server.use((next) => (request, exchange) => {
    for (const header of ["authorization", "x-api-key", "cookie"]) received.add(exchange.headers?.(header) ?? "");
    return next(request, exchange);
  });
  return server;
}

export async function createWorld(): Promise<World> {
  const received = new Set<string>();
  const press = { typeset: async () => {}, print: async () => 1 };
  const reports = createReports({ tasks: { afterMs: 20, pollIntervalMs: 20 }, press, chapterMs: 20 });
  const servings: Serving[] = await Promise.all([
    serve(createModern(received), { port: 0 }),
    serve(reports, { port: 0 }),
  ]);
  const [modern, tasks] = servings as [Serving, Serving];
  const document = {
    mcpServers: {
      keeper: { command: process.execPath, args: [keeper], env: { KEEPER_TOKEN: upstreamSecrets.variable } },
      modern: { url: modern.url, headers: { "x-api-key": upstreamSecrets.header } },
      reports: { url: tasks.url },
    },
    gateway: {
      auth: { keys: Object.entries(keyOf).map(([id, key]) => ({ id, key })) },
      admin: { key: adminKey, bodies: true },
    },
  };
  const gateway = await operate(document);
  const other = await operate(document);
  const heard: Record<Name, string[]> = { ann: [], bob: [] };

  function open(name: Name | undefined, body: unknown, options: PostOptions = {}, signal?: AbortSignal) {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(name && { authorization: `Bearer ${keyOf[name]}` }),
      ...options.headers,
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
    const url = new URL(options.path ?? "/mcp", (options.gateway ?? gateway).served.url);
    return fetch(url, { method: "POST", headers: sent, body: JSON.stringify(body), ...(signal && { signal }) });
  }

  async function post(...[name, body, options]: Parameters<World["post"]>): Promise<Reply> {
    const response = await open(name, body, options);
    const text = await response.text();
    if (name) heard[name].push(text, JSON.stringify([...response.headers]));
    return { status: response.status, headers: response.headers, text, ...parse(text) };
  }

  const ask: World["ask"] = (name, method, params = {}, options = {}) => {
    const { meta, ...rest } = options;
    return post(name, toModern(method, params, meta), {
      ...rest,
      headers: { ...headersOf(method, params), ...rest.headers },
    });
  };

  return {
    ...{ gateway, other, received, heard, post, ask },
    listen(name, notifications, isEnough) {
      const stop = new AbortController();
      let text = "";
      const method = "subscriptions/listen";
      const read = async () => {
        const response = await open(
          name,
          toModern(method, { notifications }),
          { headers: headersOf(method, {}) },
          stop.signal,
        );
        for await (const chunk of response.body ?? []) {
          text += new TextDecoder().decode(chunk);
          if (isEnough(text)) break;
        }
        heard[name].push(text);
      };
      return { text: () => text, done: read().catch(() => void heard[name].push(text)), stop: () => stop.abort() };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
      await Promise.all(servings.map((serving) => serving.close({ graceMs: 0 })));
      await reports.close();
    },
  };
}

function toModern(method: string, params: JsonObject, meta: JsonObject = {}): object {
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: capabilities, ...meta };
  return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
}

function headersOf(method: string, params: JsonObject): Record<string, string> {
  const name = mirroredNameOf(method, params);
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}

function parse(text: string): Pick<Reply, "messages" | "eventIds"> {
  const trimmed = text.trim();
  if (trimmed === "") return { messages: [], eventIds: [] };
  if (trimmed.startsWith("{") || trimmed.startsWith("["))
    return { messages: [JSON.parse(trimmed)].flat(), eventIds: [] };
  const lines = trimmed.split("\n");
  const valuesOf = (field: string) =>
    lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trim()] : []));
  return {
    messages: valuesOf("data").flatMap((data) => (data === "" ? [] : [JSON.parse(data)])),
    eventIds: valuesOf("id"),
  };
}
