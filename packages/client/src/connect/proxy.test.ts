// Servers mounted through connections and proxies: every feature, for inner and outer servers of both eras on all transports.
import { createServer, type Server } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { connect, proxy } from "../node/connect.ts";
import type { Change } from "../subscriptions/change.ts";
import type { Client } from "./client.ts";
import { connectMemory } from "./connect-memory.ts";
import type { ConnectOptions } from "./create-connect.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const keys = `k:${"A".repeat(43)}`;
const info = { name: "hub", version: "1.0.0" };
const elicit = () => ({ action: "accept", content: { who: "Ann" } }) as const;

function createInner(onCancel: () => void = () => {}): Server {
  return createServer({ name: "inner", version: "1.0.0" }, { keys })
    .tool("greet", {
      inputSchema: { type: "object", properties: { region: { type: "string" } } },
      async handler({ region }, ctx) {
        ctx.progress(1, 2);
        const { who } = await ctx.elicit("Who?", {
          type: "object",
          properties: { who: { type: "string" } },
          required: ["who"],
        });
        return `Hello, ${who} of ${region}!`;
      },
    })
    .tool("wait", {
      handler: (_, ctx) =>
        new Promise((resolve) => {
          ctx.progress(1);
          ctx.signal.addEventListener("abort", () => {
            onCancel();
            resolve("late");
          });
        }),
    })
    .prompt("poem", {
      argsSchema: { type: "object", properties: { of: { type: "string" } } },
      complete: { of: (value) => [`${value}nn`] },
      handler: ({ of }) => `A poem of ${of}`,
    })
    .resource("notes://all", { handler: () => "all" })
    .resourceTemplate("notes://{id}", { handler: ({ id }) => id });
}

async function overHttp(server: Server): Promise<string> {
  const { url, close } = await serve(server, { port: 0 });
  closers.push(() => close({ graceMs: 0 }));
  return url;
}

const inners: [way: string, mount: (server: Server, inner: Server) => Promise<Server>][] = [
  ["a connection in memory", async (server, inner) => server.mount("in", await connectMemory("inner", inner.dispatch))],
  ["a proxy over HTTP", async (server, inner) => server.mount("in", proxy(await overHttp(inner)))],
  [
    "a proxy of an older server",
    async (server, inner) => server.mount("in", proxy(await overHttp(inner), { era: "legacy" })),
  ],
];

const outers: [way: string, options: ConnectOptions][] = [
  ["a client of 2026-07-28", {}],
  ["an older client", { era: "legacy" }],
];

const cases = inners.flatMap(([inner, mount]) => outers.map(([outer, options]) => ({ inner, mount, outer, options })));

describe.each(cases)("$inner for $outer", ({ mount, options }) => {
  async function start(inner: Server, more: ConnectOptions = {}): Promise<Client> {
    const server = await mount(createServer(info, { keys }), inner);
    const client = await connect(await overHttp(server), { ...options, ...more, elicit });
    closers.push(
      () => server.close(),
      () => client.close(),
    );
    return client;
  }

  test("serves tools with input requests and progress, prompts, resources and completions", async () => {
    const client = await start(createInner());
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["in__greet", "in__wait"]);
    const onProgress = vi.fn();
    const { content } = await client.callTool("in__greet", { region: "EU" }, { onProgress });
    expect(content).toEqual([{ type: "text", text: "Hello, Ann of EU!" }]);
    expect(onProgress).toHaveBeenCalledWith({ progress: 1, total: 2 });
    const { messages } = await client.getPrompt("in__poem", { of: "Bob" });
    expect(messages).toMatchObject([{ content: { text: "A poem of Bob" } }]);
    const ref = { type: "ref/prompt", name: "in__poem" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "of", value: "A" } });
    expect(completion.values).toEqual(["Ann"]);
    expect((await client.readResource("notes://all")).contents).toMatchObject([{ text: "all" }]);
    expect((await client.readResource("notes://7")).contents).toMatchObject([{ text: "7" }]);
  });

  test("cancels a call at the mounted server", async () => {
    const onCancel = vi.fn();
    const client = await start(createInner(onCancel));
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(client.callTool("in__wait", {}, { signal: controller.signal, onProgress })).rejects.toThrow();
    await vi.waitFor(() => expect(onCancel).toHaveBeenCalledOnce());
  });

  test("follows changes of the lists and notifies about resources", async () => {
    const inner = createInner();
    const client = await start(inner);
    await client.listTools();
    const changes: Change[] = [];
    const subscription = await client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ["notes://all"] },
      (change) => {
        changes.push(change);
      },
    );
    closers.push(() => subscription.close());
    await vi.waitFor(
      () => {
        inner.resourceUpdated("notes://all");
        expect(changes).toContainEqual(expect.objectContaining({ kind: "resource", uri: "notes://all" }));
      },
      { timeout: 5_000 },
    );
    inner.tool("late", { handler: () => "late" });
    await vi.waitFor(() => expect(changes).toContainEqual(expect.objectContaining({ kind: "tools" })), {
      timeout: 5_000,
    });
    expect((await client.callTool("in__late")).content).toEqual([{ type: "text", text: "late" }]);
  });
});
