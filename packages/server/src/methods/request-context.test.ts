import { describe, expect, it } from "vitest";
import { createServer } from "../create-server.ts";
import type { Context } from "../features/context.ts";
import type { ServerOptions } from "../server-options.ts";
import { callTool } from "../testing/call.ts";
import { RecordingExchange } from "../testing/recording-exchange.ts";

const logLevel = "io.modelcontextprotocol/logLevel";

/** What a tool notified that did `act`. */
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

  it.each([0, "", "p"])("reports under the token %j (E-35, J-20)", async (progressToken) => {
    expect(await notified((ctx) => ctx.progress(0.5, 1, "half"), { progressToken })).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 0.5, total: 1, message: "half" },
      },
    ]);
  });

  it("without a token nothing is sent (E-35)", async () => {
    expect(await notified((ctx) => ctx.progress(1))).toEqual([]);
  });

  it("values that do not increase are dropped (E-35)", async () => {
    const act = (ctx: Context) => {
      for (const value of [0, 0, 2, 1, Number.NaN, Number.POSITIVE_INFINITY, 3]) ctx.progress(value);
    };
    expect(valuesOf(await notified(act, { progressToken: 1 }))).toEqual([0, 2, 3]);
  });

  it("a total that is no number is left out: JSON has no word for it", async () => {
    const [sent] = await notified((ctx) => ctx.progress(1, Number.NaN), { progressToken: 1 });
    expect(sent?.params).toEqual({ progressToken: 1, progress: 1 });
  });

  it("what a slow reader has not taken is not piled up", async () => {
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

  it("sends what is at or above the level of the request (E-40)", async () => {
    expect(await notified(act, { [logLevel]: "warning" })).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "warning", data: { b: 1 }, logger: "db" } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "emergency", data: null } },
    ]);
  });

  it("sends nothing to a client that did not ask (E-40)", async () => {
    expect(await notified(act)).toEqual([]);
  });

  it("sends nothing when logging is off (E-41)", async () => {
    expect(await notified(act, { [logLevel]: "debug" }, { logging: false })).toEqual([]);
  });
});

describe("what a handler knows of its request", () => {
  it("is all there", async () => {
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
