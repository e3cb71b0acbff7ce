// Modern servers behind the gateway: one shared connection, and requests that the gateway forwards transparently.
import { connect } from "@lethe/client/node";
import type { JsonObject } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fixture } from "../servers/fixture.ts";
import { startStatelessV1 } from "../servers/official-v1.ts";
import { startV2 } from "../servers/official-v2.ts";
import { type RunningGateway, runGateway } from "./in-process.ts";

let server: Server;
let serving: Serving;
let running: RunningGateway | undefined;
/** The `_meta` of each call that arrived. */
let arrived: JsonObject[];

beforeEach(async () => {
  arrived = [];
  server = createServer({ name: "own", version: "1.0.0" });
  server.use((next) => (request, exchange) => {
    if (request.method === "tools/call") arrived.push(request.params._meta);
    return next(request, exchange);
  });
  server.tool("greet", {
    async handler(_args, ctx) {
      const { name } = await ctx.elicit("Who?", { type: "object", properties: { name: { type: "string" } } });
      return `hello ${name}`;
    },
  });
  server.tool("count", {
    handler(_args, ctx) {
      ctx.log("warning", "counting");
      for (let step = 1; step <= 3; step += 1) ctx.progress(step, 3);
      return "counted";
    },
  });
  server.tool("where", {
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    handler: ({ region }) => `in ${region}`,
  });
  server.tool("wait", {
    handler: (_args, ctx) =>
      new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("cancelled")))),
  });
  server.resource("test://note", { name: "note", handler: () => "a note" });
  serving = await serve(server, { port: 0 });
});
afterEach(async () => {
  await running?.close();
  await serving.close({ graceMs: 0 });
  await server.close();
  running = undefined;
});

async function start(...more: Fixture[]): Promise<RunningGateway> {
  const urls = [serving.url, ...more.map(({ url }) => url)];
  running = await runGateway({
    upstreams: urls.map((url, index) => ({ kind: "http", name: `s${index}`, url, headers: {} })),
  });
  return running;
}

describe("a Lethe server behind the gateway", () => {
  it("a Lethe server behind the gateway keeps no state per connection, so all callers share one", async () => {
    const { events } = await start();
    expect(events).toMatchObject([{ sharing: "shared" }]);
  });

  it("a Lethe server behind the gateway requests input, and its state is sealed twice (J-55)", async () => {
    const client = await (await start()).connect({ elicit: () => ({ action: "accept", content: { name: "Ann" } }) });
    const asked = await client.callTool("s0__greet", {}, { manual: true });
    expect(asked.resultType).toBe("input_required");
    expect(JSON.stringify(await client.callTool("s0__greet"))).toContain("hello Ann");
    await client.close();
  });

  it("a Lethe server behind the gateway receives the caller's capabilities and extensions, under the gateway's name (J-56)", async () => {
    const client = await (await start()).connect({
      elicit: () => ({ action: "accept", content: { name: "Ann" } }),
      capabilities: { extensions: { "x/y": {} } },
    });
    await client.callTool("s0__greet", {}, { trace: { traceparent: "00-1-1-01" }, meta: { "x/own": 1 } });
    expect(arrived[0]).toMatchObject({
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, extensions: { "x/y": {} } },
      "io.modelcontextprotocol/clientInfo": { name: "lethe-gateway" },
      traceparent: "00-1-1-01",
      "x/own": 1,
    });
    await client.close();
  });

  it("a Lethe server behind the gateway reports progress under a token unique to each caller (J-55)", async () => {
    const gateway = await start();
    const clients = await Promise.all([gateway.connect(), gateway.connect()]);
    const heard = await Promise.all(
      clients.map(async (client) => {
        const steps: number[] = [];
        const logs: unknown[] = [];
        await client.callTool(
          "s0__count",
          {},
          { onProgress: ({ progress }) => steps.push(progress), onLog: ({ data }) => logs.push(data) },
        );
        return { steps, logs };
      }),
    );
    expect(heard).toEqual([1, 2].map(() => ({ steps: [1, 2, 3], logs: ["counting"] })));
    const tokens = arrived.map(({ progressToken }) => progressToken);
    expect(new Set(tokens).size).toBe(2);
    await Promise.all(clients.map((client) => client.close()));
  });

  it("a Lethe server behind the gateway receives mirrored arguments, rebuilt under its own names (J-57)", async () => {
    const client = await (await start()).connect();
    await client.listTools();
    expect(JSON.stringify(await client.callTool("s0__where", { region: "Zürich" }))).toContain("in Zürich");
    await client.close();
  });

  it("a Lethe server behind the gateway is notified when a caller disconnects (J-63)", async () => {
    const client = await (await start()).connect();
    const stop = new AbortController();
    const cancelled = new Promise<void>((resolve) => {
      server.use((next) => (request, exchange) => {
        exchange.onAbort?.(resolve);
        return next(request, exchange);
      });
    });
    const calling = client.callTool("s0__wait", {}, { signal: stop.signal });
    await expect.poll(() => arrived.length).toBe(1);
    stop.abort();
    await expect(calling).rejects.toMatchObject({ reason: "cancelled" });
    await cancelled;
    await client.close();
  });

  it("a Lethe server behind the gateway sends change notifications, which the gateway forwards", async () => {
    const gateway = await start();
    const client = await gateway.connect();
    const changes: string[] = [];
    const subscription = await client.subscribe(
      { toolsListChanged: true, resourceSubscriptions: ["test://note"] },
      (change) => changes.push(change.kind),
    );
    server.tool("late", { handler: () => "here" });
    await expect.poll(() => changes, { timeout: 5_000 }).toContain("tools");
    expect((await client.listTools()).map(({ name }) => name)).toContain("s0__late");
    server.resourceUpdated("test://note");
    await expect.poll(() => changes.length, { timeout: 5_000 }).toBeGreaterThan(1);
    subscription.close();
    await client.close();
  });

  it("a Lethe server behind the gateway fails with a distinct error while it is down, and works again after it returns", async () => {
    const gateway = await start();
    const client = await gateway.connect();
    const { port } = serving;
    await serving.close({ graceMs: 0 });
    const failed = async () => client.callTool("s0__count").catch((error) => error.data);
    // An idle connection breaks, and a new one is refused.
    expect(await failed()).toMatchObject({ reason: expect.stringMatching(/^(lost|unavailable)$/), upstream: "s0" });
    expect(await failed()).toMatchObject({ reason: "unavailable", upstream: "s0" });
    const restarted = createServer({ name: "own", version: "1.0.1" });
    restarted.tool("count", { handler: () => "counted" });
    serving = await serve(restarted, { port });
    // The gateway may be in a back-off that is longer than a request waits.
    const counted = async () => expect(JSON.stringify(await client.callTool("s0__count"))).toContain("counted");
    await vi.waitFor(counted, { timeout: 45_000, interval: 500 });
    await client.close();
  }, 90_000);
});

describe("servers of every kind behind one endpoint", () => {
  it("servers of every kind behind one endpoint share one list, and each call reaches its server", async () => {
    const fixtures = await Promise.all([startV2("stateless"), startStatelessV1()]);
    const gateway = await start(...fixtures);
    expect(gateway.events).toMatchObject([1, 2, 3].map(() => ({ kind: "ready", sharing: "shared" })));
    const client = await gateway.connect();
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["s0__count", "s1__echo", "s2__echo"]));
    for (const name of ["s1__echo", "s2__echo"]) {
      expect(JSON.stringify(await client.callTool(name, { text: name }))).toContain(name);
    }
    const alone = await connect(`${gateway.url}/s2`);
    expect((await alone.listTools()).map(({ name }) => name)).toContain("echo");
    await Promise.all([client.close(), alone.close()]);
    await gateway.close();
    running = undefined;
    await Promise.all(fixtures.map((fixture) => fixture.close()));
  });
});
