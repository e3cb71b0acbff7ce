import {
  type ClientCapabilities,
  errorCode,
  type InputRequest,
  incompatibleVersionOf,
  type JsonObject,
} from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { inputRequired } from "../features/input-required.ts";
import { toCanonicalJson } from "../seal/digest.ts";
import { InputDeclined } from "./input-declined.ts";
import type { Journal, JournalHome } from "./journal.ts";
import { runWithInteraction } from "./run-with-interaction.ts";
import { accept, askOnce, type Call, callOnce, converse, createHost, type Handler } from "./testing/conversation.ts";

const nameForm = z.object({ name: z.string() });
const askName: Handler = async (ctx) => `Hello, ${(await ctx.elicit("Who?", nameForm, { key: "user_name" })).name}!`;
const invalidState = { code: errorCode.invalidParams, message: "invalid or expired requestState" };
const bob = accept({ name: "Bob" });

describe("a handler without input requests", () => {
  it("returns the result of a handler without input requests and creates no interaction", async () => {
    const host = createHost({});
    expect(await runWithInteraction(host, () => 5)).toBe(5);
    expect(host.interaction).toBeUndefined();
  });

  it("rejects with the error that a handler throws", async () => {
    const boom = new Error("boom");
    await expect(runWithInteraction(createHost({}), () => Promise.reject(boom))).rejects.toBe(boom);
  });
});

describe("a handler with input requests", () => {
  it("returns input_required with the input request under its key and a requestState (E-21, E-22)", async () => {
    expect(await askOnce(askName)).toEqual({
      resultType: "input_required",
      inputRequests: {
        user_name: {
          method: "elicitation/create",
          params: {
            message: "Who?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
          },
        },
      },
      requestState: expect.any(String),
    });
  });

  it("continues with the answer on another machine (E-31)", async () => {
    const answer = (key: string) => (key === "user_name" ? bob : undefined);
    expect(await converse(askName, answer)).toEqual({ result: "Hello, Bob!", rounds: 1 });
  });

  it("sends a second input request that depends on the first answer", async () => {
    const resolutions = z.object({ resolution: z.enum(["Fixed", "Duplicate"]) });
    const originals = z.object({ duplicateOf: z.int() });
    const resolveBug: Handler = async (ctx) => {
      const { resolution } = await ctx.elicit("How was it resolved?", resolutions);
      expectTypeOf(resolution).toEqualTypeOf<"Fixed" | "Duplicate">();
      if (resolution !== "Duplicate") return { resolution };
      const { duplicateOf } = await ctx.elicit("Which is the original?", originals);
      return { resolution, duplicateOf };
    };
    const asked: unknown[] = [];
    const duplicate = await converse(resolveBug, (_, { params }) => {
      const { message } = params as JsonObject;
      asked.push(message);
      return accept(message === "How was it resolved?" ? { resolution: "Duplicate" } : { duplicateOf: 4 });
    });
    expect(duplicate).toEqual({ result: { resolution: "Duplicate", duplicateOf: 4 }, rounds: 2 });
    expect(asked).toEqual(["How was it resolved?", "Which is the original?"]);
    const fixed = await converse(resolveBug, () => accept({ resolution: "Fixed" }));
    expect(fixed).toEqual({ result: { resolution: "Fixed" }, rounds: 1 });
  });

  it("sends concurrent input requests in one round, including those made after a few promises (E-25)", async () => {
    const together: Handler = async (ctx) => {
      const later = async () => {
        await null;
        await Promise.resolve();
        return ctx.roots({ key: "client_roots" });
      };
      const greeting = ctx.sample({ messages: [], maxTokens: 10 }, { key: "greeting" });
      return Promise.all([ctx.elicit("Who?", nameForm, { key: "user_name" }), greeting, later()]);
    };
    const answers: { [key: string]: JsonObject } = {
      user_name: bob,
      greeting: { role: "assistant", content: { type: "text", text: "hi" }, model: "m" },
      client_roots: { roots: [{ uri: "file:///a" }] },
    };
    const rounds: string[][] = [];
    const { inputRequests } = await askOnce(together);
    rounds.push(Object.keys(inputRequests));
    const { result } = await converse(together, (key) => answers[key]);
    expect(rounds).toEqual([["greeting", "user_name", "client_roots"]]);
    expect(result).toEqual([{ name: "Bob" }, answers.greeting, [{ uri: "file:///a" }]]);
  });

  it("gives the handler the answer as its schema converts it, in each round", async () => {
    const dates = z.object({ due: z.iso.date().transform((text) => new Date(text)), n: z.int().default(7) });
    const handler: Handler = async (ctx) => {
      const { due, n } = await ctx.elicit("When?", dates);
      await ctx.elicit("Sure?", z.object({}));
      return [due, n];
    };
    const { result } = await converse(handler, (_, { params }) =>
      accept((params as JsonObject).message === "When?" ? { due: "2024-02-29" } : {}),
    );
    expect(result).toEqual([new Date("2024-02-29"), 7]);
  });

  it.each(["decline", "cancel"] as const)(
    "tells the handler that the user chose to %s (E-29, E-89)",
    async (action) => {
      const careful: Handler = (ctx) => ctx.tryElicit("Who?", nameForm);
      expect((await converse(careful, () => ({ action }))).result).toEqual({ action });
      const thrown = converse(askName, () => ({ action }));
      await expect(thrown).rejects.toThrow(InputDeclined);
      await expect(thrown).rejects.toMatchObject({ action });
    },
  );

  it("sends the user to a URL and tells the handler only about the consent (E-90)", async () => {
    const handler: Handler = async (ctx) => {
      await ctx.elicitUrl("Log in", "https://example.org/login", { key: "login" });
      return ctx.tryElicitUrl("Pay", "http://localhost:1/pay");
    };
    const { inputRequests } = await askOnce(handler);
    expect(inputRequests.login?.params).toEqual({ mode: "url", message: "Log in", url: "https://example.org/login" });
    const { result } = await converse(handler, (key) => ({ action: key === "login" ? "accept" : "decline" }));
    expect(result).toEqual({ action: "decline" });
    await expect(converse(handler, () => ({ action: "cancel" }))).rejects.toMatchObject({ action: "cancel" });
  });

  it.each(["http://example.org", "javascript:alert(1)", "nothing"])(
    "rejects the URL %s for an elicitation (E-92)",
    async (url) => {
      await expect(callOnce((ctx) => ctx.elicitUrl("Go", url))).rejects.toThrow("an https URL expected");
    },
  );

  it("rejects a schema that is not a form and names the field (E-86)", async () => {
    const nested = z.object({ address: z.object({ street: z.string() }) });
    await expect(callOnce((ctx) => ctx.elicit("Where?", nested))).rejects.toThrow('field "address" must be');
  });

  it("sends input requests from prompts/get and resources/read too (E-20)", async () => {
    for (const method of ["prompts/get", "resources/read"]) {
      expect((await converse(askName, () => bob, { method, name: "file:///a" })).result).toBe("Hello, Bob!");
    }
  });
});

describe("missing and invalid answers", () => {
  it.each<[string, JsonObject | null]>([
    ["no answer", {}],
    ["null for all", null],
    ["null", { user_name: null }],
    ["an answer under another key", { other: bob }],
    ["a number", { user_name: 12345 }],
    ["another kind of answer", { user_name: { roots: [] } }],
    ["an unknown action", { user_name: { action: "yes", content: { name: "Bob" } } }],
    ["an accept without content", { user_name: { action: "accept" } }],
    ["content against the form", { user_name: accept({ name: 5 }) }],
  ])("repeats the input request under the same key after %s (E-29)", async (_, inputResponses) => {
    const { requestState } = await askOnce(askName);
    const again = await askOnce(askName, { inputResponses, requestState });
    expect(Object.keys(again.inputRequests)).toEqual(["user_name"]);
    expect(again.requestState).not.toBe(requestState);
    const responses = { user_name: bob, unknown: 1 };
    expect(await callOnce(askName, { inputResponses: responses, requestState: again.requestState })).toBe(
      "Hello, Bob!",
    );
  });

  it("checks an answer without a requestState against the input request with its key", async () => {
    expect(await callOnce(askName, { inputResponses: { user_name: bob, unknown: 1 } })).toBe("Hello, Bob!");
    const { inputRequests } = await askOnce(askName, { inputResponses: { user_name: 12345 } });
    expect(Object.keys(inputRequests)).toEqual(["user_name"]);
  });

  it("repeats the input request with the reason when the author's schema rejects the answer", async () => {
    const even = z.object({ n: z.int().refine((n) => n % 2 === 0, "only even numbers") });
    const handler: Handler = (ctx) => ctx.elicit("How many?", even);
    const messages: unknown[] = [];
    const { result } = await converse(handler, (_, { params }, round) => {
      messages.push((params as JsonObject).message);
      return accept({ n: 3 + round });
    });
    expect(result).toEqual({ n: 4 });
    expect(messages).toEqual(["How many?", "How many?\n\nThe last answer was not accepted: only even numbers"]);
  });

  it("fails the call with the error that a schema throws", async () => {
    const broken = z.object({ n: z.int() }).refine(() => {
      throw new Error("database down");
    });
    const handler: Handler = (ctx) => ctx.elicit("How many?", broken);
    await expect(converse(handler, () => accept({ n: 1 }))).rejects.toThrow("database down");
  });
});

describe("undeclared client capabilities", () => {
  const params = { messages: [], maxTokens: 1 };

  it.each<[string, Handler, ClientCapabilities, ClientCapabilities]>([
    ["forms", askName, { sampling: {} }, { elicitation: { form: {} } }],
    ["URLs", (ctx) => ctx.elicitUrl("Go", "https://a"), { elicitation: {} }, { elicitation: { url: {} } }],
    ["sampling", (ctx) => ctx.sample(params), {}, { sampling: {} }],
    ["tools", (ctx) => ctx.sample({ ...params, tools: [] }), { sampling: {} }, { sampling: { tools: {} } }],
    ["roots", (ctx) => ctx.roots(), {}, { roots: {} }],
    [
      "raw roots",
      () => inputRequired({ inputRequests: { r: { method: "roots/list" } } }),
      { elicitation: {} },
      { roots: {} },
    ],
  ])(
    "rejects %s with -32021 and the missing capability when the client did not declare it (A-22, A-43, E-23)",
    async (_, handler, capabilities, missing) => {
      await expect(callOnce(handler, { capabilities })).rejects.toMatchObject({
        code: errorCode.missingClientCapability,
        data: { requiredCapabilities: missing },
      });
    },
  );

  it("ignores the capabilities of an earlier request (A-22)", async () => {
    const { requestState } = await askOnce(askName);
    await expect(callOnce(askName, { requestState, capabilities: {} })).rejects.toMatchObject({
      code: errorCode.missingClientCapability,
    });
  });

  it("lets a handler catch the error about a missing capability", async () => {
    const handler: Handler = (ctx) => ctx.roots().catch(() => "no roots");
    expect(await callOnce(handler, { capabilities: {} })).toBe("no roots");
  });
});

describe("requestState", () => {
  const original: Call = {
    method: "tools/call",
    name: "rename",
    arguments: { id: 1, deep: { a: 1, b: 2 } },
    callerId: "ann",
    server: "one",
    version: "1",
    inputSchema: { type: "object" },
  };

  it.each<[string, Call]>([
    ["caller", { callerId: "eve" }],
    ["method", { method: "prompts/get" }],
    ["tool", { name: "delete_all" }],
    ["arguments", { arguments: { id: 2, deep: { a: 1, b: 2 } } }],
    ["server", { server: "two" }],
    ["input schema", { inputSchema: { type: "object", required: ["id"] } }],
  ])("does not open a requestState for another %s (E-26 to E-28)", async (_, change) => {
    const { requestState } = await askOnce(askName, original);
    const retry = { requestState, inputResponses: { user_name: bob } };
    await expect(callOnce(askName, { ...original, ...change, ...retry })).rejects.toMatchObject(invalidState);
    expect(await callOnce(askName, { ...original, ...retry })).toBe("Hello, Bob!");
  });

  it("names both versions when another version of the handler would have to continue a call (E-28)", async () => {
    const { requestState } = await askOnce(askName, original);
    const retry = { ...original, requestState, inputResponses: { user_name: bob } };
    const refusalOf = (change: Call) => callOnce(askName, { ...retry, ...change }).catch((error: unknown) => error);
    const refusal = await refusalOf({ version: "2" });
    expect(refusal).toMatchObject({
      code: -32602,
      message:
        'tools/call rename started in version "1", and its handler is now "2", which does not continue such calls: ' +
        "start the call again",
    });
    expect(incompatibleVersionOf(refusal)).toEqual({ startedVersion: "1", currentVersion: "2" });
    const { version: _, ...undeclared } = retry;
    const unversioned = await callOnce(askName, undeclared).catch((error: unknown) => error);
    expect(incompatibleVersionOf(unversioned)).toEqual({ startedVersion: "1", currentVersion: undefined });
    expect(incompatibleVersionOf(await refusalOf({ inputSchema: {} }))).toBeUndefined();
  });

  it("a version continues the calls of the versions that it names as compatible, and they are its own from then on", async () => {
    const twice: Handler = async (ctx) => [
      await askName(ctx),
      (await ctx.elicit("Sure?", anything, { key: "sure" })).ok,
    ];
    const anything = z.object({ ok: z.boolean() });
    const first = await askOnce(twice, original);
    const next = { ...original, version: "3", compatibleVersions: ["1", "2"], inputSchema: {} };
    const retry = { requestState: first.requestState, inputResponses: { user_name: bob } };
    const second = await askOnce(twice, { ...next, ...retry });
    const last = { requestState: second.requestState, inputResponses: { sure: accept({ ok: true }) } };
    const back = await callOnce(twice, { ...original, ...last }).catch((error: unknown) => error);
    expect(incompatibleVersionOf(back)).toEqual({ startedVersion: "3", currentVersion: "1" });
    expect(await callOnce(twice, { ...next, ...last })).toEqual(["Hello, Bob!", true]);
  });

  it("opens a requestState for its own call and for no other (E-26 to E-28)", async () => {
    const calls: fc.Arbitrary<Call> = fc.record(
      {
        method: fc.constantFrom("tools/call", "prompts/get"),
        name: fc.constantFrom("rename", "delete_all"),
        server: fc.constantFrom("one", "two"),
        callerId: fc.constantFrom("ann", "eve"),
        arguments: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.jsonValue(), { maxKeys: 2 }),
      },
      { requiredKeys: ["method", "name", "server", "arguments"] },
    );
    const change = fc.record({ own: calls, other: calls, isChanged: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(change, async ({ own, other, isChanged }) => {
        const { requestState } = await askOnce(askName, own);
        const used = isChanged ? other : own;
        const answer = callOnce(askName, { ...used, requestState, inputResponses: { user_name: bob } });
        if (toCanonicalJson(used) === toCanonicalJson(own)) expect(await answer).toBe("Hello, Bob!");
        else await expect(answer).rejects.toMatchObject(invalidState);
      }),
    );
  });

  it("does not open a requestState for another resource, regardless of other params", async () => {
    const read: Call = { method: "resources/read", params: { name: "same" } };
    const { requestState } = await askOnce(askName, { ...read, name: "file:///a" });
    const retry = { ...read, requestState, inputResponses: { user_name: bob } };
    await expect(callOnce(askName, { ...retry, name: "file:///b" })).rejects.toMatchObject(invalidState);
    expect(await callOnce(askName, { ...retry, name: "file:///a" })).toBe("Hello, Bob!");
  });

  it("opens a requestState regardless of the order of the arguments", async () => {
    const { requestState } = await askOnce(askName, original);
    const reordered = { deep: { b: 2, a: 1 }, id: 1 };
    const retry = { ...original, arguments: reordered, requestState, inputResponses: { user_name: bob } };
    expect(await callOnce(askName, retry)).toBe("Hello, Bob!");
  });

  it.each(["-TAMPERED", "x"])(
    "rejects a requestState with %s appended and does not run the handler (E-27)",
    async (suffix) => {
      const { requestState } = await askOnce(askName);
      const retry = { inputResponses: { user_name: bob }, requestState: requestState + suffix };
      let hasRun = false;
      const spy: Handler = () => {
        hasRun = true;
      };
      await expect(callOnce(spy, retry)).rejects.toMatchObject(invalidState);
      expect(hasRun).toBe(false);
    },
  );

  it("rejects an empty requestState", async () => {
    await expect(callOnce(askName, { requestState: "" })).rejects.toMatchObject(invalidState);
  });
});

describe("limits of a round", () => {
  it("ends a call with an error after ten rounds (E-25)", async () => {
    let rounds = 0;
    const endless = converse(askName, () => {
      rounds += 1;
    });
    await expect(endless).rejects.toMatchObject({
      code: errorCode.internalError,
      message: "input was requested 10 times, which is the limit; long sleeps count too",
    });
    expect(rounds).toBe(10);
  });

  it("fails a call that sends too many input requests in one round", async () => {
    const handler: Handler = (ctx) =>
      Promise.all(Array.from({ length: 17 }, (_, index) => ctx.elicit(`Question ${index}`, nameForm)));
    await expect(callOnce(handler)).rejects.toThrow(
      "tools/call tool sends 17 input requests in one round, at most 16 allowed",
    );
  });

  it("fails a call whose journal is too large", async () => {
    const handler: Handler = async (ctx) => {
      await ctx.once("page", () => "x".repeat(65_536));
      return ctx.elicit("Who?", nameForm);
    };
    await expect(callOnce(handler)).rejects.toThrow(/journal of \d+ bytes, at most 65536 allowed/);
  });
});

describe("raw input requests", () => {
  const confirm: InputRequest = {
    method: "elicitation/create",
    params: {
      message: "Sure?",
      requestedSchema: { type: "object", properties: { ok: { type: "boolean", default: true } }, required: ["ok"] },
    },
  };
  const twoSteps: Handler = (ctx) => {
    const step = (ctx.state?.step as number) ?? 0;
    if (ctx.inputResponses?.confirm === undefined || step < 2) {
      return inputRequired({ inputRequests: { confirm: confirm }, state: { step: step + 1 } });
    }
    return { step, answer: ctx.inputResponses.confirm };
  };

  it("gives the next round the returned state as ctx.state and the answers as ctx.inputResponses (E-21)", async () => {
    const { result, rounds } = await converse(twoSteps, () => accept({}));
    expect(result).toEqual({ step: 2, answer: accept({ ok: true }) });
    expect(rounds).toBe(2);
  });

  it("treats a response that does not fit its input request as missing (E-29, J-76)", async () => {
    const { requestState } = await askOnce(twoSteps, { settings: {} });
    const seen: unknown[] = [];
    const look: Handler = (ctx) => {
      seen.push(ctx.inputResponses);
    };
    const wrong = [{ confirm: accept({ ok: "yes" }) }, { confirm: { roots: [] } }, { other: accept({}) }, null];
    for (const inputResponses of wrong) await callOnce(look, { requestState, inputResponses });
    expect(seen).toEqual([{}, {}, {}, {}]);
  });

  it("reads the response to each kind of input request by its method (J-76)", async () => {
    const sample = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
    const inputResponses: JsonObject = { r: { roots: [] }, s: sample, u: { action: "accept" } };
    const handler: Handler = (ctx) =>
      ctx.inputResponses ??
      inputRequired({
        inputRequests: {
          r: { method: "roots/list" },
          s: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
          u: { method: "elicitation/create", params: { mode: "url", message: "Go", url: "https://a" } },
        },
      });
    const { requestState } = await askOnce(handler);
    expect(await callOnce(handler, { requestState, inputResponses })).toEqual(inputResponses);
  });

  it("accepts a round that carries only state", async () => {
    const result = await callOnce(() => inputRequired({ state: { retryAfter: 1 } }));
    expect(result).toEqual({ resultType: "input_required", requestState: expect.any(String) });
  });

  it("a handler that changes from raw to awaited input requests sees the same responses again", async () => {
    const mixed: Handler = async (ctx) => {
      if (ctx.inputResponses?.confirm === undefined) {
        return inputRequired({ inputRequests: { confirm: confirm }, state: { from: "raw" } });
      }
      const { name } = await ctx.elicit("Who?", nameForm, { key: "user_name" });
      return { name, state: ctx.state, confirm: ctx.inputResponses.confirm };
    };
    const { result, rounds } = await converse(mixed, (key) => (key === "confirm" ? accept({ ok: false }) : bob));
    expect(result).toEqual({ name: "Bob", state: { from: "raw" }, confirm: accept({ ok: false }) });
    expect(rounds).toBe(2);
  });

  it("rejects a raw elicitation with an invalid form (E-86)", async () => {
    const requestedSchema = { type: "object", properties: { a: { type: "object" } } } as never;
    const inputRequests = { a: { method: "elicitation/create", params: { message: "?", requestedSchema } } } as const;
    await expect(callOnce(() => inputRequired({ inputRequests }))).rejects.toThrow('field "a" must be');
  });
});

describe("a journal stored by the server", () => {
  it("a journal stored by the server sends no requestState, and responses are read by its input requests", async () => {
    let kept: Journal | undefined;
    const journalHome: JournalHome = {
      load: async () => kept,
      save: async (journal) => {
        kept = JSON.parse(JSON.stringify(journal));
        return undefined;
      },
    };
    const result = await callOnce(askName, { journalHome });
    expect(result).toEqual({ resultType: "input_required", inputRequests: { user_name: expect.anything() } });
    expect(await callOnce(askName, { journalHome, inputResponses: { user_name: bob } })).toBe("Hello, Bob!");
  });

  it("stores each journal entry before the handler gets its value, in the same order", async () => {
    const kept: string[] = [];
    const seen: string[] = [];
    const slow = [30, 0, 10];
    const journalHome: JournalHome = {
      load: async () => undefined,
      save: async () => undefined,
      async append({ key }) {
        await new Promise((resolve) => setTimeout(resolve, slow.shift()));
        kept.push(key);
      },
    };
    const handler: Handler = async (ctx) => {
      const branch = async (key: string) => {
        await ctx.once(key, () => key);
        expect(kept).toContain(key);
        seen.push(key);
      };
      const { name } = (
        await Promise.all([ctx.elicit("Who?", nameForm, { key: "name" }), branch("a"), branch("b")])
      )[0];
      return name;
    };
    expect(await callOnce(handler, { journalHome, inputResponses: { name: bob } })).toBe("Bob");
    expect(seen).toEqual(["a", "b"]);
    expect(kept.toSorted()).toEqual(["a", "b", "name"]);
  });

  it("fails the call when the journal entry cannot be stored, even if the handler catches the error", async () => {
    const full = new Error("disk full");
    const journalHome: JournalHome = {
      load: async () => undefined,
      save: async () => undefined,
      append: () => Promise.reject(full),
    };
    const handler: Handler = (ctx) => ctx.once("one", () => 1).catch(() => "went on");
    await expect(callOnce(handler, { journalHome })).rejects.toBe(full);
  });

  it("replays a stored journal only with the handler version that wrote it", async () => {
    const written: Journal = { v: 1, mark: "other", round: 1, entries: [], asked: [] };
    const journalHome: JournalHome = { load: async () => written, save: async () => undefined };
    await expect(callOnce(askName, { journalHome })).rejects.toMatchObject(invalidState);
  });
});
