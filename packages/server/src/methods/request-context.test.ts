import { describe, expect, it } from "vitest";
import { createServer } from "../create-server.ts";
import type { Context } from "../features/context.ts";
import type { ServerOptions } from "../server-options.ts";
import { callTool } from "../testing/call.ts";
import { RecordingExchange } from "../testing/recording-exchange.ts";

const logLevel = "io.modelcontextprotocol/logLevel";

/** Returns the notifications of a tool that runs `act`. */
async function notified(
  act: (ctx: Context) => void,
  meta = {},
  options: ServerOptions = {},
  exchange = new RecordingExchange(),
) {
  const server = createServer({ name: "s", version: "1" }, options).tool("t", { handler: (_, ctx) => act(ctx) });
  expect(await callTool(server, "t", {}, { meta, exchange })).toMatchObject({ content: [] });
  return exchange.sent;
}

describe("ctx.progress", () => {
  const valuesOf = (sent: RecordingExchange["sent"]) => sent.map(({ params }) => params?.progress);

  it.each([0, "", "p"])("ctx.progress reports under the token %j (E-35, J-20)", async (progressToken) => {
    expect(await notified((ctx) => ctx.progress(0.5, 1, "half"), { progressToken })).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 0.5, total: 1, message: "half" },
      },
    ]);
  });

  it("ctx.progress sends nothing without a token (E-35)", async () => {
    expect(await notified((ctx) => ctx.progress(1))).toEqual([]);
  });

  it("ctx.progress drops values that do not increase (E-35)", async () => {
    const act = (ctx: Context) => {
      for (const value of [0, 0, 2, 1, Number.NaN, Number.POSITIVE_INFINITY, 3]) ctx.progress(value);
    };
    expect(valuesOf(await notified(act, { progressToken: 1 }))).toEqual([0, 2, 3]);
  });

  it("ctx.progress omits a total that is not a finite number, which JSON cannot represent", async () => {
    const [sent] = await notified((ctx) => ctx.progress(1, Number.NaN), { progressToken: 1 });
    expect(sent?.params).toEqual({ progressToken: 1, progress: 1 });
  });

  it("ctx.progress does not queue notifications for a slow reader", async () => {
    const exchange = new RecordingExchange();
    exchange.isSlow = true;
    const server = createServer({ name: "s", version: "1" }).tool("t", {
      async handler(_, ctx) {
        ctx.progress(1);
        ctx.progress(2);
        exchange.drain();
        await Promise.resolve();
        ctx.progress(3);
      },
    });
    await callTool(server, "t", {}, { meta: { progressToken: 1 }, exchange });
    expect(valuesOf(exchange.sent)).toEqual([1, 3]);
  });
});

describe("ctx.log", () => {
  const act = (ctx: Context) => {
    ctx.log("debug", "a");
    ctx.log("warning", { b: 1 }, "db");
    ctx.log("emergency", undefined);
  };

  it("ctx.log sends messages at or above the level of the request (E-40)", async () => {
    expect(await notified(act, { [logLevel]: "warning" })).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "warning", data: { b: 1 }, logger: "db" } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "emergency", data: null } },
    ]);
  });

  it("ctx.log sends nothing to a client that did not set a level (E-40)", async () => {
    expect(await notified(act)).toEqual([]);
  });

  it("ctx.log sends nothing when logging is off (E-41)", async () => {
    expect(await notified(act, { [logLevel]: "debug" }, { logging: false })).toEqual([]);
  });
});

describe("the handler context", () => {
  it("gives the handler all facts about its request", async () => {
    const exchange = new RecordingExchange({ id: "c" });
    const meta = {
      "io.modelcontextprotocol/clientInfo": { name: "n", version: "2" },
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
      "x.y/z": 1,
    };
    let seen: Partial<Context> = {};
    const act = ({ caller, client, trace, meta, request, signal, inputResponses, state }: Context) => {
      seen = { caller, client, trace, meta, request, signal, inputResponses, state } as Partial<Context>;
    };
    await notified(act, meta, {}, exchange);
    expect(seen).toMatchObject({
      caller: { id: "c" },
      client: { info: { name: "n", version: "2" }, capabilities: {} },
      trace: { traceparent: meta.traceparent },
      meta: { "x.y/z": 1 },
      request: { method: "tools/call", params: { name: "t" } },
    });
    expect(seen.signal).toBe(exchange.signal);
    expect(seen.inputResponses).toBeUndefined();
    expect(seen.state).toBeUndefined();
  });
});
