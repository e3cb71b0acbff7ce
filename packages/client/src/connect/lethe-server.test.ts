// The client against the server of this project: in memory, over node:http and over fetch.
import { createServer, type Server } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createResponseCache } from "../cache/response-cache.ts";
import { createFetchSend } from "../http/fetch-send.ts";
import { createGate } from "../http/testing/gate.ts";
import { connect as connectInNode } from "../node/connect.ts";
import type { Change } from "../subscriptions/change.ts";
import type { Client } from "./client.ts";
import { connect as connectAnywhere } from "./connect.ts";
import type { ConnectOptions } from "./create-connect.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function overHttp(server: Server): Promise<string> {
  const { url, close } = await serve(server, { port: 0 });
  closers.push(() => close({ graceMs: 0 }));
  return url;
}

const ways: [way: string, connect: (server: Server, options?: ConnectOptions) => Promise<Client>][] = [
  ["in memory", (server, options) => connectAnywhere(server, options)],
  ["over node:http", async (server, options) => connectInNode(await overHttp(server), options)],
  ["over fetch", async (server, options) => connectAnywhere(await overHttp(server), options)],
];

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

function createTracker(): Server {
  return createServer({ name: "tracker", version: "1.0.0" })
    .tool("echo", { inputSchema: text, handler: ({ text: said }) => String(said) })
    .tool("mirror", {
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
      handler: ({ region }) => String(region),
    })
    .tool("count", {
      handler(_args, ctx) {
        ctx.log("info", "counting");
        for (const step of [1, 2, 3]) ctx.progress(step, 3);
        return "counted";
      },
    })
    .tool("resolve", {
      async handler(_args, ctx) {
        const { how } = await ctx.elicit("How?", {
          type: "object",
          properties: { how: { type: "string" } },
          required: ["how"],
        });
        const { who } = await ctx.elicit("Who?", {
          type: "object",
          properties: { who: { type: "string" } },
          required: ["who"],
        });
        return `${how} by ${who}`;
      },
    })
    .tool("hang", { handler: (_args, ctx) => new Promise((_, reject) => ctx.signal.addEventListener("abort", reject)) })
    .resource("test://a", { name: "a", handler: () => "the text" })
    .prompt("greet", { handler: () => "hello" });
}

describe.each(ways)("%s", (_way, connect) => {
  async function start(options?: ConnectOptions): Promise<{ server: Server; client: Client }> {
    const server = createTracker();
    const client = await connect(server, options);
    closers.push(() => client.close());
    return { server, client };
  }

  test("every feature of a server can be listed and used", async () => {
    const { client } = await start();
    expect(client.server.supportedVersions).toEqual(["2026-07-28"]);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo", "mirror", "count", "resolve", "hang"]);
    expect((await client.callTool("echo", { text: "hé" })).content).toEqual([{ type: "text", text: "hé" }]);
    expect((await client.readResource("test://a")).contents).toMatchObject([{ uri: "test://a", text: "the text" }]);
    expect((await client.getPrompt("greet")).messages).toHaveLength(1);
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["test://a"]);
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(["greet"]);
  });

  test("a failing tool returns a result, an unknown one an error (E-70)", async () => {
    const { client } = await start();
    expect((await client.callTool("echo", {})).isError).toBe(true);
    await expect(client.callTool("nowhere")).rejects.toMatchObject({ name: "McpError", code: -32602 });
  });

  test("an annotated argument is mirrored, whether its tool was listed or not (B-74, B-75)", async () => {
    const { client } = await start();
    expect((await client.callTool("mirror", { region: "Łódź" })).content).toEqual([{ type: "text", text: "Łódź" }]);
    await client.listTools();
    expect((await client.callTool("mirror", { region: " x " })).content).toEqual([{ type: "text", text: " x " }]);
  });

  test("progress and log messages arrive before the result", async () => {
    const { client } = await start();
    const heard: unknown[] = [];
    await client.callTool(
      "count",
      {},
      {
        onProgress: ({ progress }) => heard.push(progress),
        onLog: ({ data }) => heard.push(data),
      },
    );
    expect(heard).toEqual(["counting", 1, 2, 3]);
  });

  test("several input requests are answered in order (E.3)", async () => {
    const answers = [{ how: "Fixed" }, { who: "Ada" }];
    const elicit = vi.fn(() => ({ action: "accept" as const, content: answers.shift() as never }));
    const { client } = await start({ elicit });
    expect((await client.callTool("resolve")).content).toEqual([{ type: "text", text: "Fixed by Ada" }]);
    expect(elicit).toHaveBeenCalledTimes(2);
  });

  test("the error of a call names the capability that a client without a handler lacks (A-43)", async () => {
    const { client } = await start();
    await expect(client.callTool("resolve")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    });
  });

  test("changes are delivered, and lists are read anew after them (E-14, E-55)", async () => {
    const { server, client } = await start();
    const heard: Change[] = [];
    const gate = createGate();
    const subscription = await client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ["test://a"] },
      (change) => {
        heard.push(change);
        if (heard.length === 2) gate.open();
      },
    );
    expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: ["test://a"] });
    await client.listTools();
    server.removeTool("hang");
    server.resourceUpdated("test://a");
    await gate.opened;
    expect(heard.map(({ kind }) => kind).sort()).toEqual(["resource", "tools"]);
    expect((await client.listTools()).map(({ name }) => name)).not.toContain("hang");
    subscription.close();
    expect(await subscription.ended).toBeUndefined();
  });

  test("a call can be cancelled at any time", async () => {
    const { client } = await start();
    const controller = new AbortController();
    const running = client.callTool("hang", {}, { signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ reason: "cancelled" });
    await expect(client.callTool("hang", {}, { timeoutMs: 20 })).rejects.toMatchObject({ reason: "timeout" });
  });

  test("a hundred concurrent calls each get their own result", async () => {
    const { client } = await start();
    const said = Array.from({ length: 100 }, (_, index) => String(index));
    const results = await Promise.all(said.map((each) => client.callTool("echo", { text: each })));
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(said);
  });
});

test("URLs that differ in their query share no cache entries (E-53)", async () => {
  const [one, two] = ["one", "two"].map((name) =>
    createServer({ name, version: "1.0.0" }, { cache: { tools: { ttlMs: 60_000, cacheScope: "public" } } }).tool(name, {
      handler: () => "",
    }),
  );
  const send = createFetchSend(async (url, init) => {
    const { fetch } = (url.search === "?tenant=one" ? one : two) as Server;
    return await fetch(new Request("http://127.0.0.1/mcp", init));
  });
  const cache = createResponseCache();
  for (const tenant of ["one", "two"]) {
    const client = await connectAnywhere(`http://127.0.0.1/mcp?tenant=${tenant}`, { send, cache });
    expect((await client.listTools()).map(({ name }) => name)).toEqual([tenant]);
  }
});
