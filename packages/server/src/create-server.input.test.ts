// Multi round-trip requests (E.3) through the whole server, each round on another machine.
import { type InputRequiredResult, isInputRequired, type JsonObject, type Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createServer } from "./create-server.ts";
import { text } from "./features/content.ts";
import { inputRequired } from "./features/input-required.ts";
import type { ServerOptions } from "./server-options.ts";
import { call } from "./testing/call.ts";

const keys = `k:${Buffer.alloc(32, 7).toString("base64url")}`;
const capabilities = { elicitation: {}, roots: {} };
const nameForm = z.object({ name: z.string() });

/** One of many equal machines. */
function machine(options: ServerOptions = {}) {
  return createServer({ name: "s", version: "1" }, { keys, ...options })
    .tool("greet", {
      inputSchema: z.object({ greeting: z.string() }),
      async handler({ greeting }, ctx) {
        const { name } = await ctx.elicit("Who are you?", nameForm);
        const roots = await ctx.roots();
        return `${greeting}, ${name} with ${roots.length} roots`;
      },
    })
    .tool("raw", {
      handler(_, ctx) {
        if (ctx.state) return `${ctx.state.step}: ${JSON.stringify(ctx.inputResponses)}`;
        return inputRequired({ inputRequests: { r: { method: "roots/list" } }, state: { step: 1 } });
      },
    })
    .prompt("who", { handler: async (_, ctx) => (await ctx.elicit("Who?", nameForm)).name })
    .resourceTemplate("a://{id}", {
      handler: async ({ id }, ctx) => `${id} ${(await ctx.elicit("Who?", nameForm)).name}`,
    });
}

async function asked(answer: Promise<Result>): Promise<InputRequiredResult> {
  const result = await answer;
  if (!isInputRequired(result)) throw new Error(`input_required expected, got ${JSON.stringify(result)}`);
  return result;
}

/** Answers every question by its method. */
function answering(result: InputRequiredResult, answers: JsonObject): JsonObject {
  const requests = Object.entries(result.inputRequests ?? {});
  const inputResponses = Object.fromEntries(requests.map(([key, { method }]) => [key, answers[method]]));
  return { inputResponses, requestState: result.requestState };
}

const answers = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "roots/list": { roots: [{ uri: "file:///a" }] },
};

describe("a handler with input requests", () => {
  const params = { name: "greet", arguments: { greeting: "Hi" } };

  it("gets its answers round by round, on any machine", async () => {
    const first = await asked(call(machine(), "tools/call", params, { capabilities }));
    expect(first._meta).toEqual({ "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } });
    const second = await asked(
      call(machine(), "tools/call", { ...params, ...answering(first, answers) }, { capabilities }),
    );
    const third = await call(machine(), "tools/call", { ...params, ...answering(second, answers) }, { capabilities });
    expect(third).toMatchObject({ resultType: "complete", content: [text("Hi, Ada with 1 roots")] });
  });

  it("reports the user's refusal to the model", async () => {
    const first = await asked(call(machine(), "tools/call", params, { capabilities }));
    const declined = answering(first, { "elicitation/create": { action: "decline" } });
    const result = await call(machine(), "tools/call", { ...params, ...declined }, { capabilities });
    expect(result).toMatchObject({ isError: true, content: [text("the user declined to answer")] });
  });

  it("sends no input request that the client did not declare (E-23)", async () => {
    await expect(call(machine(), "tools/call", params)).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });

  it("rejects state for other arguments, another caller or another tool (E-28)", async () => {
    const first = await asked(call(machine(), "tools/call", params, { capabilities }));
    const retry = answering(first, answers);
    const refused = { code: -32602, message: "invalid or expired requestState" };
    const caller = { id: "other" };
    for (const [changed, options] of [
      [{ ...params, arguments: { greeting: "Ho" }, ...retry }, { capabilities }],
      [
        { ...params, ...retry },
        { capabilities, caller },
      ],
      [{ name: "raw", arguments: {}, ...retry }, { capabilities }],
      [{ ...params, ...retry, requestState: `${retry.requestState}x` }, { capabilities }],
    ] as const) {
      await expect(call(machine(), "tools/call", changed, options)).rejects.toMatchObject(refused);
    }
  });

  it("rejects state of another version of the handler", async () => {
    const versioned = (version: string) =>
      createServer({ name: "s", version: "1" }, { keys }).tool("t", {
        version,
        handler: async (_, ctx) => (await ctx.elicit("Who?", nameForm)).name,
      });
    const first = await asked(call(versioned("1"), "tools/call", { name: "t" }, { capabilities }));
    const retry = { name: "t", ...answering(first, answers) };
    await expect(call(versioned("2"), "tools/call", retry, { capabilities })).rejects.toMatchObject({ code: -32602 });
    expect(await call(versioned("1"), "tools/call", retry, { capabilities })).toMatchObject({ content: [text("Ada")] });
  });

  it("prompts and resources send input requests as tools do (E-20)", async () => {
    for (const [method, params, expected] of [
      ["prompts/get", { name: "who" }, { messages: [{ content: text("Ada") }] }],
      ["resources/read", { uri: "a://7" }, { contents: [{ text: "7 Ada" }] }],
    ] as const) {
      const first = await asked(call(machine(), method, params, { capabilities }));
      expect(first).not.toHaveProperty("ttlMs");
      const retry = { ...params, ...answering(first, answers) };
      expect(await call(machine(), method, retry, { capabilities })).toMatchObject(expected);
    }
  });

  it("warns about a handler that catches its suspension, and still sends the input request", async () => {
    const onWarning = vi.fn();
    const server = createServer({ name: "s", version: "1" }, { keys, interaction: { onWarning } }).tool("t", {
      handler: (_, ctx) => ctx.roots().catch(() => "never mind"),
    });
    await asked(call(server, "tools/call", { name: "t" }, { capabilities }));
    expect(onWarning).toHaveBeenCalledOnce();
  });
});

describe("raw input requests", () => {
  it("returns raw input requests, and gives the next round its state and the responses", async () => {
    const first = await asked(call(machine(), "tools/call", { name: "raw" }, { capabilities }));
    expect(first.inputRequests).toEqual({ r: { method: "roots/list", params: {} } });
    expect(first.requestState).not.toContain("step");
    const retry = { name: "raw", ...answering(first, answers) };
    expect(await call(machine(), "tools/call", retry, { capabilities })).toMatchObject({
      content: [text('1: {"r":{"roots":[{"uri":"file:///a"}]}}')],
    });
  });

  it("inputRequired throws without input requests or state (E-21)", () => {
    expect(() => inputRequired({})).toThrow("inputRequired needs inputRequests, state or both");
  });
});
