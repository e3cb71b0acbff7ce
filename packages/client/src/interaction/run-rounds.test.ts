import type { CreateMessageRequest, InputParams, InputRequiredResult, Result } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { capabilitiesOf, type Handlers } from "./handlers.ts";
import { type AskedRequest, type RoundLimits, runRounds } from "./run-rounds.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const done: Result = { resultType: "complete", content: [] };
const form = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: { n: { type: "string", default: "d" } } } },
} as const;
const page = (url: string) => ({ method: "elicitation/create", params: { mode: "url", message: "?", url } }) as const;
const sampling: CreateMessageRequest = { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } };
const roots = { method: "roots/list" } as const;

function inputRequired(members: Partial<InputRequiredResult>): InputRequiredResult {
  return { resultType: "input_required", ...members };
}

/** Runs a call whose retries are answered by `answers`, one after the other. */
function run(
  first: InputRequiredResult,
  handlers: Handlers,
  answers: Result[] = [done],
  limits?: RoundLimits,
  signal?: AbortSignal,
) {
  const sent: InputParams[] = [];
  const asked: AskedRequest = {
    server: "s",
    method: "tools/call",
    target: "t",
    signal,
    async retry(input) {
      sent.push(input);
      return answers.shift() ?? done;
    },
  };
  return { sent, result: runRounds(first, asked, handlers, limits) };
}

test("calls the handler of each input request and returns the bare responses under their keys (E-24)", async () => {
  const message = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" } as const;
  const handlers: Handlers = {
    elicit: () => ({ action: "accept", content: { n: "x" } }),
    elicitUrl: () => ({ action: "accept" }),
    sample: async () => message,
    roots: [{ uri: "file:///a" }],
  };
  const inputRequests = { a: form, b: page("https://h/"), c: sampling, d: roots };
  const { sent, result } = run(inputRequired({ inputRequests, requestState: "v1.\u00e9 x" }), handlers);
  expect(await result).toBe(done);
  expect(sent).toEqual([
    {
      requestState: "v1.\u00e9 x",
      inputResponses: {
        a: { action: "accept", content: { n: "x" } },
        b: { action: "accept" },
        c: message,
        d: { roots: [{ uri: "file:///a" }] },
      },
    },
  ]);
});

test("sends requestState back only in the round that follows it (E-24)", async () => {
  const elicit = () => ({ action: "decline" }) as const;
  const second = inputRequired({ inputRequests: { b: form } });
  const { sent, result } = run(inputRequired({ inputRequests: { a: form }, requestState: "1" }), { elicit }, [
    second,
    done,
  ]);
  await result;
  expect(sent).toEqual([
    { requestState: "1", inputResponses: { a: { action: "decline" } } },
    { inputResponses: { b: { action: "decline" } } },
  ]);
});

test("fills an accepted form with defaults and sends no content for a declined one (E-87, E-88)", async () => {
  const given: unknown[] = [{ action: "accept" }, { action: "cancel", content: { n: "x" } }];
  const { sent, result } = run(inputRequired({ inputRequests: { a: form, b: form } }), {
    elicit: () => given.shift() as never,
  });
  await result;
  expect(sent[0]?.inputResponses).toEqual({ a: { action: "accept", content: { n: "d" } }, b: { action: "cancel" } });
});

test("handles one input request at a time and names the server, method and target to the handler (E-89)", async () => {
  let open = 0;
  const seen: unknown[] = [];
  const elicit: Handlers["elicit"] = async (_params, { signal: _, ...context }) => {
    open += 1;
    seen.push({ ...context, open });
    await Promise.resolve();
    open -= 1;
    return { action: "decline" };
  };
  await run(inputRequired({ inputRequests: { a: form, b: form } }), { elicit }).result;
  const about = { server: "s", method: "tools/call", target: "t", isCertain: true, open: 1 };
  expect(seen).toEqual([
    { ...about, key: "a" },
    { ...about, key: "b" },
  ]);
});

describe("input requests that the client did not declare", () => {
  test.each([
    ["a form", form],
    ["a page", page("https://h/")],
    ["a sampling", sampling],
    ["roots", roots],
    ["a method of another kind", { method: "tools/call" }],
    ["nothing", null],
  ])("rejects an input request that the client did not declare and sends nothing (E-23): %s", async (_name, asked) => {
    const { sent, result } = run(inputRequired({ inputRequests: { a: asked as never } }), {});
    await expect(result).rejects.toMatchObject({
      reason: "invalid",
      message: expect.stringContaining("tools/call to s"),
    });
    expect(sent).toEqual([]);
  });
});

test.each(["http://h/", "javascript:alert(1)", "file:///etc/passwd", "not a URL", 5])(
  "does not open the URL %j (E-91)",
  async (url) => {
    const elicitUrl = vi.fn();
    const { result } = run(inputRequired({ inputRequests: { a: page(url as string) } }), { elicitUrl });
    await expect(result).rejects.toMatchObject({ reason: "invalid" });
    expect(elicitUrl).not.toHaveBeenCalled();
  },
);

test("opens an http URL on a loopback address", async () => {
  const elicitUrl = vi.fn(() => ({ action: "accept" }) as const);
  await run(inputRequired({ inputRequests: { a: page("http://127.0.0.1:1/") } }), { elicitUrl }).result;
  expect(elicitUrl).toHaveBeenCalledOnce();
});

test("a rejecting handler rejects the call, and no response is sent (E-30)", async () => {
  const sample = () => Promise.reject(new Error("no model"));
  const { sent, result } = run(inputRequired({ inputRequests: { a: sampling } }), { sample });
  await expect(result).rejects.toThrow("no model");
  expect(sent).toEqual([]);
});

test.each([
  [{ elicit: () => undefined as never }, form],
  [{ elicit: () => ({ action: "accept", content: { n: 5 } }) as never }, form],
  [{ sample: () => ({}) as never }, sampling],
])("rejects with a TypeError when a handler returns an invalid value", async (handlers, asked) => {
  const { result } = run(inputRequired({ inputRequests: { a: asked } }), handlers);
  await expect(result).rejects.toThrow(TypeError);
});

test("does not pass invalid sampling messages to the model (E-97)", async () => {
  const sample = vi.fn();
  const asked = { method: "sampling/createMessage", params: { messages: [] } } as never;
  await expect(run(inputRequired({ inputRequests: { a: asked } }), { sample }).result).rejects.toMatchObject({
    reason: "invalid",
  });
  expect(sample).not.toHaveBeenCalled();
});

test("retries with increasing delays while the server returns no input requests (E-25)", async () => {
  const { sent, result } = run(inputRequired({ requestState: "1" }), {}, [inputRequired({ requestState: "2" }), done]);
  await vi.advanceTimersByTimeAsync(249);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([{ requestState: "1" }]);
  await vi.advanceTimersByTimeAsync(499);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await result).toBe(done);
  expect(sent[1]).toEqual({ requestState: "2" });
});

test("stops after the last round when the server keeps sending input requests (E-25)", async () => {
  const elicit = () => ({ action: "decline" }) as const;
  const again = inputRequired({ inputRequests: { a: form } });
  const { sent, result } = run(again, { elicit }, Array(20).fill(again), { maxRounds: 3 });
  await expect(result).rejects.toMatchObject({ reason: "invalid", message: expect.stringContaining("3 rounds") });
  expect(sent).toHaveLength(3);
});

test("rejects a round with too many input requests", async () => {
  const elicit = vi.fn();
  const inputRequests = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [index, form]));
  await expect(run(inputRequired({ inputRequests }), { elicit }).result).rejects.toMatchObject({ reason: "invalid" });
  expect(elicit).not.toHaveBeenCalled();
});

test("ends all rounds after maxMs and aborts the signal of the handler", async () => {
  let aborted: AbortSignal | undefined;
  const elicit: Handlers["elicit"] = (_params, { signal }) => {
    aborted = signal;
    return new Promise(() => {});
  };
  const { result } = run(inputRequired({ inputRequests: { a: form } }), { elicit }, [], { maxMs: 1000 });
  const failed = expect(result).rejects.toMatchObject({ reason: "timeout" });
  await vi.advanceTimersByTimeAsync(1000);
  await failed;
  expect(aborted?.aborted).toBe(true);
});

test("the caller's signal ends the wait for a user", async () => {
  const controller = new AbortController();
  const elicit = () => new Promise<never>(() => {});
  const { result } = run(inputRequired({ inputRequests: { a: form } }), { elicit }, [], {}, controller.signal);
  controller.abort();
  await expect(result).rejects.toMatchObject({ reason: "cancelled" });
  expect(vi.getTimerCount()).toBe(0);
});

test("declares the capabilities of its handlers and the configured ones (E-85)", () => {
  const elicit = () => ({ action: "decline" }) as const;
  expect(capabilitiesOf({})).toEqual({});
  expect(capabilitiesOf({ elicit })).toEqual({ elicitation: { form: {} } });
  expect(capabilitiesOf({ elicitUrl: elicit })).toEqual({ elicitation: { url: {} } });
  expect(
    capabilitiesOf({ sample: vi.fn(), roots: [] }, { sampling: { tools: {} }, extensions: { "a/b": {} } }),
  ).toEqual({
    sampling: { tools: {} },
    roots: {},
    extensions: { "a/b": {} },
  });
});
