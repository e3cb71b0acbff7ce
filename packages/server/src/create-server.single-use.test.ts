// A question is answered once (E-28): what a caller posts again has no second effect.
import {
  type InputRequiredResult,
  isInputRequired,
  type JsonObject,
  McpError,
  type Result,
  tasksExtension,
} from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createServer } from "./create-server.ts";
import { inputRequired } from "./features/input-required.ts";
import { ToolError } from "./features/tool-error.ts";
import type { Server, ServerOptions } from "./index.ts";
import { createMemorySingleUseStore } from "./seal/memory-single-use-store.ts";
import { call, callTool } from "./testing/call.ts";
import { RecordingExchange } from "./testing/recording-exchange.ts";

const keys = `a:${Buffer.alloc(32, 1).toString("base64url")}`;
const capabilities = { elicitation: {} };
const used = { code: -32602, data: { reason: "already_answered" } };

interface Shop {
  readonly server: Server;
  readonly effects: string[];
}

/** `pay` has its effect after the question, which is where effects belong. */
function open(options: ServerOptions = {}, effect: () => unknown = () => {}): Shop {
  const effects: string[] = [];
  const server = createServer({ name: "shop", version: "1" }, { keys, onError: () => {}, ...options });
  server.tool("pay", {
    async handler(_, ctx) {
      const { sure } = await ctx.elicit("Pay?", z.object({ sure: z.boolean() }));
      effects.push(sure ? "paid" : "kept");
      await effect();
      return sure ? "paid" : "kept";
    },
  });
  return { server, effects };
}

async function ask(server: Server, name = "pay", more: JsonObject = {}): Promise<InputRequiredResult> {
  const result = await callTool(server, name, {}, { capabilities, ...more });
  if (!isInputRequired(result)) throw new Error(`input_required expected, got ${JSON.stringify(result)}`);
  return result;
}

function answer(server: Server, asked: InputRequiredResult, content: JsonObject, name = "pay"): Promise<Result> {
  const inputResponses = Object.fromEntries(
    Object.keys(asked.inputRequests ?? {}).map((key) => [key, { action: "accept", content }]),
  );
  return callTool(server, name, {}, { capabilities, params: { inputResponses, requestState: asked.requestState } });
}

const paid = { content: [{ type: "text", text: "paid" }] };

describe("an answered requestState", () => {
  it("an answered requestState has one effect, however often it is posted, and returns the same answer", async () => {
    const { server, effects } = open();
    const asked = await ask(server);
    const posts = await Promise.all([1, 2, 3].map(() => answer(server, asked, { sure: true })));
    posts.push(await answer(server, asked, { sure: true }), await answer(server, asked, { sure: true }));
    expect(posts).toMatchObject(Array(5).fill(paid));
    expect(effects).toEqual(["paid"]);
  });

  it("an answered requestState cannot be answered differently afterwards", async () => {
    const { server, effects } = open();
    const asked = await ask(server);
    await answer(server, asked, { sure: false });
    await expect(answer(server, asked, { sure: true })).rejects.toMatchObject(used);
    expect(effects).toEqual(["kept"]);
  });

  it("an answered requestState leads to one next input request, so that a conversation does not fork", async () => {
    const { server, effects } = open();
    const asked = await ask(server);
    // Does not fit the form: the server asks again.
    const first = await answer(server, asked, { sure: "perhaps" });
    expect(await answer(server, asked, { sure: "perhaps" })).toEqual(first);
    await expect(answer(server, asked, { sure: true })).rejects.toMatchObject(used);
    expect(await answer(server, first as InputRequiredResult, { sure: true })).toMatchObject(paid);
    expect(effects).toEqual(["paid"]);
  });

  it("a requestState is used up when its handler fails, and a retry gets the same failure", async () => {
    const { server, effects } = open({}, () => Promise.reject(new ToolError("no money")));
    const asked = await ask(server);
    const failed = { isError: true, content: [{ text: "no money" }] };
    expect(await answer(server, asked, { sure: true })).toMatchObject(failed);
    expect(await answer(server, asked, { sure: true })).toMatchObject(failed);
    expect(effects).toEqual(["paid"]);
  });

  it("a requestState is used up when its handler throws a protocol error after it got the answer", async () => {
    const { server, effects } = open({}, () => Promise.reject(new McpError(-32602, "no such account")));
    const asked = await ask(server);
    for (let count = 0; count < 2; count += 1) {
      await expect(answer(server, asked, { sure: true })).rejects.toMatchObject({ message: "no such account" });
    }
    expect(effects).toEqual(["paid"]);
  });

  it("a requestState stays valid when the round failed before its handler learned anything new", async () => {
    let isReady = false;
    const server = createServer({ name: "shop", version: "1" }, { keys });
    server.tool("pay", {
      async handler(_, ctx) {
        if (ctx.meta.isSecond === true && !isReady)
          throw new McpError(-32603, "not now", { data: { retryAfterMs: 1 } });
        const { sure } = await ctx.elicit("Pay?", z.object({ sure: z.boolean() }));
        return String(sure);
      },
    });
    const asked = await ask(server);
    const { inputRequests = {}, requestState } = asked;
    const inputResponses = { [String(Object.keys(inputRequests)[0])]: { action: "accept", content: { sure: true } } };
    const params = { inputResponses, requestState };
    const retry = () => callTool(server, "pay", {}, { capabilities, params, meta: { isSecond: true } });
    await expect(retry()).rejects.toMatchObject({ message: "not now" });
    isReady = true;
    expect(await retry()).toMatchObject({ content: [{ text: "true" }] });
  });

  it("a requestState is single-use for raw input requests too", async () => {
    const effects: unknown[] = [];
    const server = createServer({ name: "raw", version: "1" }, { keys });
    const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } } as const;
    server.tool("pay", {
      handler(_, ctx) {
        if (!ctx.inputResponses) {
          const params = { message: "Pay?", requestedSchema };
          return inputRequired({ inputRequests: { sure: { method: "elicitation/create", params } } });
        }
        effects.push(ctx.inputResponses.sure);
        throw new McpError(-32602, "refused");
      },
    });
    const asked = await ask(server);
    for (let count = 0; count < 3; count += 1) {
      await expect(answer(server, asked, { sure: true })).rejects.toMatchObject({ message: "refused" });
    }
    expect(effects).toHaveLength(1);
  });

  it("a requestState is single-use for prompts and resources", async () => {
    const effects: string[] = [];
    const server = createServer({ name: "s", version: "1" }, { keys });
    server.resource("test://a", {
      name: "a",
      async handler(_, ctx) {
        await ctx.elicit("Read?", z.object({}));
        effects.push("read");
        return "text";
      },
    });
    const read = (more: JsonObject) => call(server, "resources/read", more, { capabilities });
    const { inputRequests, requestState } = (await read({ uri: "test://a" })) as InputRequiredResult;
    const inputResponses = { [String(Object.keys(inputRequests ?? {})[0])]: { action: "accept", content: {} } };
    const posts = [1, 2, 3].map(() => read({ uri: "test://a", inputResponses, requestState }));
    expect(await Promise.all(posts)).toMatchObject(Array(3).fill({ contents: [{ text: "text" }] }));
    expect(effects).toEqual(["read"]);
  });

  it("a requestState leads to one task, which an identical retry gets again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const declared = { elicitation: {}, extensions: { [tasksExtension]: {} } };
    let runs = 0;
    let finish: () => void = () => {};
    const server = createServer({ name: "s", version: "1" }, { keys });
    server.tool("print", {
      task: "auto",
      async handler(_, ctx) {
        await ctx.elicit("Print?", z.object({}));
        runs += 1;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return "printed";
      },
    });
    const asked = (await callTool(server, "print", {}, { capabilities: declared })) as InputRequiredResult;
    const inputResponses = { [String(Object.keys(asked.inputRequests ?? {})[0])]: { action: "accept", content: {} } };
    const params = { inputResponses, requestState: asked.requestState };
    const post = () => callTool(server, "print", {}, { capabilities: declared, params });
    const posts = [post(), post()];
    await vi.waitFor(() => expect(runs).toBe(1), 20_000);
    await vi.advanceTimersByTimeAsync(60_000);
    const [first, second] = await Promise.all(posts);
    expect(first).toMatchObject({ resultType: "task", taskId: expect.any(String) });
    expect([second, await post()]).toEqual([first, first]);
    finish();
    vi.useRealTimers();
    await server.close();
    expect(runs).toBe(1);
  });

  it("a requestState is single-use among servers that share a store, and per server without one", async () => {
    const shared = createMemorySingleUseStore();
    const [one, two] = [open({ singleUse: shared }), open({ singleUse: shared })];
    const asked = await ask(one.server);
    await answer(one.server, asked, { sure: true });
    expect(await answer(two.server, asked, { sure: true })).toMatchObject(paid);
    expect([...one.effects, ...two.effects]).toEqual(["paid"]);

    const [three, four] = [open(), open()];
    const asks = await ask(three.server);
    await answer(three.server, asks, { sure: true });
    await answer(four.server, asks, { sure: true });
    expect([...three.effects, ...four.effects]).toEqual(["paid", "paid"]);
  });

  it("a requestState may be answered until it expires with singleUse: false", async () => {
    const { server, effects } = open({ singleUse: false });
    const asked = await ask(server);
    for (let count = 0; count < 3; count += 1) await answer(server, asked, { sure: true });
    expect(effects).toHaveLength(3);
  });

  it("a caller beyond its share of single-use states gets a retryable error", async () => {
    const { server } = open({ singleUse: createMemorySingleUseStore({ maxStates: 1 }) });
    const [first, second] = [await ask(server), await ask(server)];
    await answer(server, first, { sure: true });
    const refused = { code: -32603, data: { retryAfterMs: 10_000 } };
    await expect(answer(server, second, { sure: true })).rejects.toMatchObject(refused);
  });

  it("needs no single-use store when the edge kept the state", async () => {
    const claim = vi.fn();
    const { server, effects } = open({ singleUse: { claim, settle: () => {}, release: () => {} } });
    const { inputRequests = {}, requestState } = await ask(server);
    const inputResponses = { [String(Object.keys(inputRequests)[0])]: { action: "accept", content: { sure: true } } };
    const exchange = Object.assign(new RecordingExchange(), { keepsState: true });
    await callTool(server, "pay", {}, { capabilities, params: { inputResponses, requestState }, exchange });
    expect(effects).toEqual(["paid"]);
    expect(claim).not.toHaveBeenCalled();
  });

  it("does not consult the single-use store for requests without a state", async () => {
    const claim = vi.fn();
    const { server } = open({ singleUse: { claim, settle: () => {}, release: () => {} } });
    server.tool("plain", { handler: () => "done" });
    await callTool(server, "plain", {}, {});
    await ask(server);
    expect(claim).not.toHaveBeenCalled();
  });
});

describe("the idempotency key of a step", () => {
  it.each([
    ["a call", {}],
    ["a call that may become a task", { [tasksExtension]: {} }],
  ])(
    "stays the same for %s when a round fails and is repeated, also by another process, and in later rounds",
    async (_, extensions) => {
      const steps: string[] = [];
      const form = z.object({ sure: z.boolean() });
      const open = () =>
        createServer({ name: "shop", version: "1" }, { keys, singleUse: false, onError: () => {} }).tool("pay", {
          task: "auto",
          async handler(_, ctx) {
            await ctx.elicit("Pay?", form);
            const pay = (step: { idempotencyKey: string }) => {
              steps.push(step.idempotencyKey);
              if (steps.length === 1) throw new ToolError("timed out");
              if (steps.length === 2) throw new Error("timed out again");
            };
            await ctx.once("pay", pay).catch((error) => {
              if (error instanceof ToolError) throw error;
            });
            await ctx.elicit("Again?", form);
            await ctx.once("pay again", pay);
            return "paid";
          },
        });
      const client = { capabilities: { elicitation: {}, extensions } };
      const asked = (await callTool(open(), "pay", {}, client)) as InputRequiredResult;
      const responses = (result: InputRequiredResult) =>
        Object.fromEntries(
          Object.keys(result.inputRequests ?? {}).map((key) => [key, { action: "accept", content: { sure: true } }]),
        );
      const retry = (result: InputRequiredResult) =>
        callTool(
          open(),
          "pay",
          {},
          {
            ...client,
            params: { inputResponses: responses(result), requestState: result.requestState },
          },
        );
      expect(await retry(asked)).toMatchObject({ isError: true });
      const askedAgain = (await retry(asked)) as InputRequiredResult;
      expect(await retry(askedAgain)).toMatchObject(paid);
      // The error of the second attempt is not stored, so the third round makes another one.
      const [first = ""] = steps;
      expect(steps).toEqual([first, first, first, first.replace(/pay$/, "pay again")]);
    },
  );
});
