import { type Dispatch, type JsonObject, type Result, withMiddleware } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { createRequestBuilder } from "../call/build-request.ts";
import { createExchange } from "../call/exchange.ts";
import { createResponseCache, type ResponseCache } from "./response-cache.ts";
import { withCache } from "./with-cache.ts";

const plainExchange = createExchange({});

let now = 0;

function createClient(
  cache: ResponseCache,
  answer: (params: JsonObject) => Partial<Result> | Promise<Partial<Result>>,
  { server = "s", partition = "p", capabilities = {} } = {},
) {
  const asked = vi.fn(async (request: Parameters<Dispatch>[0]): Promise<Result> => {
    return { resultType: "complete", ...(await answer(request.params)) };
  });
  const dispatch = withMiddleware(asked, [withCache(cache, { server, partition })]);
  const { build } = createRequestBuilder({ capabilities, revision: "2026-07-28" });
  return { asked, send: (method: string, params: JsonObject = {}) => dispatch(build(method, params), plainExchange) };
}

const fresh = { ttlMs: 1000, cacheScope: "private" };
const newCache = () => createResponseCache({ now: () => now });

test("a fresh result is returned from the cache, and a stale one is requested again (E-51)", async () => {
  const { asked, send } = createClient(newCache(), () => ({ ...fresh, tools: [now] }));
  now = 0;
  expect((await send("tools/list")).tools).toEqual([0]);
  now = 999;
  expect((await send("tools/list")).tools).toEqual([0]);
  now = 1000;
  expect((await send("tools/list")).tools).toEqual([1000]);
  expect(asked).toHaveBeenCalledTimes(2);
});

test.each([
  ["server/discover", {}],
  ["tools/list", {}],
  ["prompts/list", { cursor: "" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "u" }],
])("%s is cacheable (E-50)", async (method, params) => {
  const { asked, send } = createClient(newCache(), () => fresh);
  await send(method, { ...params });
  await send(method, { ...params });
  expect(asked).toHaveBeenCalledOnce();
});

test.each([
  ["tools/call", { name: "t" }, fresh],
  ["prompts/get", { name: "t" }, fresh],
  ["completion/complete", {}, fresh],
  ["resources/read", { uri: "u", requestState: "s" }, fresh],
  ["resources/read", { uri: "u", inputResponses: {} }, fresh],
  ["resources/read", { uri: "u" }, { ...fresh, resultType: "input_required" }],
  ["tools/list", {}, { ttlMs: 0, cacheScope: "public" }],
  ["tools/list", {}, { ttlMs: -1, cacheScope: "public" }],
  ["tools/list", {}, { ttlMs: "1000", cacheScope: "public" }],
  ["tools/list", {}, {}],
])("%s with %j answered by %j is not kept (E-51, E-54)", async (method, params, result) => {
  const { asked, send } = createClient(newCache(), () => result);
  await send(method, { ...params });
  await send(method, { ...params });
  expect(asked).toHaveBeenCalledTimes(2);
});

test("other params, another page and another URI have their own cache entries (E-52)", async () => {
  const { asked, send } = createClient(newCache(), () => fresh);
  await send("tools/list");
  await send("tools/list", { cursor: "" });
  await send("tools/list", { cursor: "2" });
  await send("resources/read", { uri: "a" });
  await send("resources/read", { uri: "b" });
  expect(asked).toHaveBeenCalledTimes(5);
});

test("a private result is not shared across authorizations, a public one is (E-53)", async () => {
  const cache = newCache();
  for (const [cacheScope, calls] of [
    ["private", 1],
    ["public", 0],
    [undefined, 1],
    ["other", 1],
  ] as const) {
    cache.clear();
    const one = createClient(cache, () => ({ ...fresh, cacheScope }), { partition: "one" });
    const two = createClient(cache, () => fresh, { partition: "two" });
    await one.send("tools/list");
    await two.send("tools/list");
    expect(two.asked).toHaveBeenCalledTimes(calls);
  }
});

test("another server and other capabilities have their own cache entries (E-52)", async () => {
  const cache = newCache();
  const publicly = () => ({ ...fresh, cacheScope: "public" });
  await createClient(cache, publicly).send("tools/list");
  const elsewhere = createClient(cache, publicly, { server: "s2" });
  await elsewhere.send("tools/list");
  const abler = createClient(cache, publicly, { capabilities: { roots: {} } });
  await abler.send("tools/list");
  expect([elsewhere.asked, abler.asked].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test("a caller that modifies a result does not change the results of others", async () => {
  const { send } = createClient(newCache(), () => ({ ...fresh, tools: [1] }));
  for (let i = 0; i < 3; i++) {
    const { tools } = await send("tools/list");
    expect(tools).toEqual([1]);
    (tools as unknown[]).push(2);
  }
});

test("a change makes its topic stale at once, for its server only (E-55)", async () => {
  const cache = newCache();
  const here = createClient(cache, () => fresh);
  const there = createClient(cache, () => fresh, { server: "s2" });
  for (const { send } of [here, there]) {
    await send("tools/list");
    await send("tools/list", { cursor: "2" });
    await send("prompts/list");
  }
  cache.invalidate("s", "tools");
  for (const { send } of [here, there]) {
    await send("tools/list");
    await send("tools/list", { cursor: "2" });
    await send("prompts/list");
  }
  expect([here, there].map(({ asked }) => asked.mock.calls.length)).toEqual([5, 3]);
});

test("an updated resource makes the resources that contain it and its parts stale (E-13)", async () => {
  const cache = newCache();
  const { asked, send } = createClient(cache, () => fresh);
  const uris = ["file:///a", "file:///a/b", "file:///a/b/c", "file:///x"];
  for (const uri of uris) await send("resources/read", { uri });
  cache.invalidate("s", "contents", "file:///a/b");
  for (const uri of uris) await send("resources/read", { uri });
  expect(asked.mock.calls.slice(4).map(([{ params }]) => params.uri)).toEqual(uris.slice(0, 3));
});

test("a result that became stale while it was requested is not cached", async () => {
  const cache = newCache();
  const { asked, send } = createClient(cache, () => {
    cache.invalidate("s", "tools");
    return fresh;
  });
  await send("tools/list");
  await send("tools/list");
  expect(asked).toHaveBeenCalledTimes(2);
});

test("entries and bytes are bounded, and the least recently used entry is dropped first", () => {
  const key = (text: string) => ({ topic: "tools", server: "s", text }) as const;
  const cache = createResponseCache({ maxEntries: 2, maxBytes: 30, now: () => 0 });
  cache.set(key("a"), "1", 10);
  cache.set(key("b"), "2", 10);
  cache.get(key("a"));
  cache.set(key("c"), "3", 10);
  expect(["a", "b", "c"].map((text) => cache.get(key(text)))).toEqual(["1", undefined, "3"]);
  cache.set(key("d"), "x".repeat(28), 10);
  expect(["a", "c", "d"].map((text) => cache.get(key(text))?.length)).toEqual([undefined, undefined, 28]);
  cache.set(key("e"), "x".repeat(30), 10);
  // What does not fit in at all pushes nothing out.
  expect(["d", "e"].map((text) => cache.get(key(text))?.length)).toEqual([28, undefined]);
});

test("a server's ttlMs is capped (E-51)", () => {
  let time = 0;
  const cache = createResponseCache({ maxTtlMs: 100, now: () => time });
  const key = { topic: "tools", server: "s", text: "a" } as const;
  cache.set(key, "1", Number.MAX_VALUE);
  time = 100;
  expect(cache.get(key)).toBeUndefined();
});
