import {
  type Exchange,
  type JsonObject,
  type ListenFilter,
  McpError,
  type ModernRequest,
  metaKey,
  type Result,
} from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRequestBuilder } from "../call/build-request.ts";
import { TransportError } from "../call/transport-error.ts";
import type { Change } from "./change.ts";
import { MergedSubscriptions, type SubscriptionsOptions } from "./merged-subscriptions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** One listen request as the server sees it. */
class Listen {
  readonly filter: ListenFilter;
  readonly result: Promise<Result>;
  readonly #id: ModernRequest["id"];
  readonly #exchange: Exchange;
  #resolve: (result: Result) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor({ id, params }: ModernRequest, exchange: Exchange) {
    this.filter = params.notifications as ListenFilter;
    this.#id = id;
    this.#exchange = exchange;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    exchange.signal.addEventListener("abort", () => this.#reject(exchange.signal.reason));
  }

  get isClosed(): boolean {
    return this.#exchange.signal.aborted;
  }

  notify(name: string, params: JsonObject = {}, id: unknown = this.#id): void {
    const _meta = { [metaKey.subscriptionId]: id };
    this.#exchange.notify({ jsonrpc: "2.0", method: `notifications/${name}`, params: { ...params, _meta } });
  }

  async acknowledge(honoured: ListenFilter = this.filter): Promise<void> {
    this.notify("subscriptions/acknowledged", { notifications: honoured });
    await settle();
  }

  async end(): Promise<void> {
    this.#resolve({ resultType: "complete" });
    await settle();
  }

  async break(error: unknown = new TransportError("lost", "broken")): Promise<void> {
    this.#reject(error);
    await settle();
  }
}

function start(options: Partial<SubscriptionsOptions> = {}) {
  const listens: Listen[] = [];
  const onWarning = vi.fn();
  const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
  const subscriptions = new MergedSubscriptions({
    build,
    dispatch(request, exchange) {
      const listen = new Listen(request, exchange);
      listens.push(listen);
      return listen.result;
    },
    random: () => 0,
    onWarning,
    ...options,
  });
  /** Waits until a listen request has come. */
  async function next(): Promise<Listen> {
    await settle();
    return listens.at(-1) as Listen;
  }
  return { subscriptions, listens, next, onWarning };
}

/** Lets all promises run that can. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

const tools = { toolsListChanged: true };
const prompts = { promptsListChanged: true };

test("a subscription starts with the acknowledgement and reports the granted filter (E-11)", async () => {
  const { subscriptions, next } = start();
  const heard: Change[] = [];
  const subscribing = subscriptions.subscribe({ ...tools, ...prompts }, (change) => heard.push(change));
  const listen = await next();
  await listen.acknowledge(tools);
  const subscription = await subscribing;
  expect(subscription.honoured).toEqual(tools);
  listen.notify("tools/list_changed");
  listen.notify("prompts/list_changed");
  expect(heard.map(({ kind }) => kind)).toEqual(["tools", "prompts"]);
});

test("an acknowledgement reaches any number of subscribers in linear time", async () => {
  const stepsOf = async (count: number) => {
    const { subscriptions, next } = start();
    for (let index = 0; index < count; index++) {
      void subscriptions.subscribe({ resourceSubscriptions: [`x:/${index}`] }, () => {});
    }
    const listen = await next();
    const add = vi.spyOn(Set.prototype, "add");
    await listen.acknowledge();
    const { length } = add.mock.calls;
    add.mockRestore();
    return length;
  };
  expect(await stepsOf(200)).toBeLessThan(3 * (await stepsOf(100)));
});

test("a subscriber gets a change that arrives in one chunk with the acknowledgement", async () => {
  const { subscriptions, next } = start();
  const heard: Change[] = [];
  const subscribing = subscriptions.subscribe(tools, (change) => heard.push(change));
  const listen = await next();
  listen.notify("subscriptions/acknowledged", { notifications: tools });
  listen.notify("tools/list_changed");
  await subscribing;
  await settle();
  expect(heard.map(({ kind }) => kind)).toEqual(["tools"]);
});

test("notifications without our subscription id are ignored (A-37)", async () => {
  const { subscriptions, next } = start();
  const onChange = vi.fn();
  const subscribing = subscriptions.subscribe(tools, onChange);
  const listen = await next();
  await listen.acknowledge();
  await subscribing;
  for (const id of ["1", 2, null]) listen.notify("tools/list_changed", {}, id);
  expect(onChange).not.toHaveBeenCalled();
});

test("subscribers share one stream, and each gets its own changes (E-12)", async () => {
  const { subscriptions, listens, next } = start();
  const heard: string[] = [];
  const one = subscriptions.subscribe({ ...tools, resourceSubscriptions: ["u"] }, ({ kind }) =>
    heard.push(`one ${kind}`),
  );
  const two = subscriptions.subscribe(prompts, ({ kind }) => heard.push(`two ${kind}`));
  const listen = await next();
  expect(listens).toHaveLength(1);
  expect(listen.filter).toEqual({ ...tools, ...prompts, resourceSubscriptions: ["u"] });
  await listen.acknowledge();
  expect((await one).honoured).toEqual({ ...tools, resourceSubscriptions: ["u"] });
  expect((await two).honoured).toEqual(prompts);
  listen.notify("tools/list_changed");
  listen.notify("prompts/list_changed");
  listen.notify("resources/updated", { uri: "u/part" });
  listen.notify("resources/updated", { uri: "other" });
  expect(heard).toEqual(["one tools", "two prompts", "one resource"]);
});

test("a wider filter opens a new stream, and the old one closes after the acknowledgement", async () => {
  const { subscriptions, next } = start();
  const onChange = vi.fn();
  const one = subscriptions.subscribe(tools, onChange);
  const first = await next();
  await first.acknowledge();
  await one;
  const two = subscriptions.subscribe(prompts, () => {});
  const second = await next();
  expect(second.filter).toEqual({ ...tools, ...prompts });
  expect(first.isClosed).toBe(false);
  first.notify("tools/list_changed");
  expect(onChange).toHaveBeenCalledOnce();
  await second.acknowledge();
  await two;
  expect(first.isClosed).toBe(true);
});

test("a filter that the stream already covers needs no request", async () => {
  const { subscriptions, listens, next } = start();
  const one = subscriptions.subscribe({ ...tools, ...prompts }, () => {});
  await (await next()).acknowledge();
  await one;
  expect((await subscriptions.subscribe(tools, () => {})).honoured).toEqual(tools);
  expect(listens).toHaveLength(1);
});

test("the stream closes with its last subscriber (E-15)", async () => {
  const { subscriptions, next } = start();
  const subscribing = subscriptions.subscribe(tools, () => {});
  const listen = await next();
  await listen.acknowledge();
  const subscription = await subscribing;
  subscription.close();
  await settle();
  expect(listen.isClosed).toBe(true);
  expect(await subscription.ended).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["breaks (E-17)", (listen: Listen) => listen.break()],
  ["ends in order (E-16)", (listen: Listen) => listen.end()],
  ["fails inside the server", (listen: Listen) => listen.break(new McpError(-32603, "internal error"))],
])("a stream that %s is reopened, and its subscribers learn of the gap", async (_how, finish) => {
  const { subscriptions, listens, next } = start();
  const heard: Change[] = [];
  const subscribing = subscriptions.subscribe({ ...tools, resourceSubscriptions: ["u"] }, (change) =>
    heard.push(change),
  );
  await (await next()).acknowledge();
  await subscribing;
  await finish(listens[0] as Listen);
  await vi.advanceTimersByTimeAsync(249);
  expect(listens).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(listens).toHaveLength(2);
  await listens[1]?.acknowledge();
  expect(heard).toEqual([
    { kind: "tools", isSynthetic: true },
    { kind: "resource", uri: "u", isSynthetic: true },
  ]);
});

test("the clients of a restarted server reconnect at different times (E-17)", async () => {
  const { subscriptions, listens, next } = start({ minDelayMs: 1_000, random: () => 0.5 });
  const subscribing = subscriptions.subscribe(tools, () => {});
  await (await next()).acknowledge();
  await subscribing;
  await listens[0]?.break();
  await vi.advanceTimersByTimeAsync(749);
  expect(listens).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(listens).toHaveLength(2);
});

test("a stream that lasted resets the backoff (E-17)", async () => {
  const { subscriptions, listens, next } = start({ minDelayMs: 100, maxDelayMs: 400 });
  const subscribing = subscriptions.subscribe(tools, () => {});
  await (await next()).acknowledge();
  await subscribing;
  for (const waitMs of [50, 100, 200]) {
    await listens.at(-1)?.break();
    await vi.advanceTimersByTimeAsync(waitMs);
    await listens.at(-1)?.acknowledge();
  }
  expect(listens).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(401);
  await listens.at(-1)?.break();
  await vi.advanceTimersByTimeAsync(50);
  expect(listens).toHaveLength(5);
});

test("a server can end the stream with notifications/cancelled, a result, or both (J-1)", async () => {
  const { subscriptions, listens, next } = start();
  const subscribing = subscriptions.subscribe(tools, () => {});
  const listen = await next();
  await listen.acknowledge();
  await subscribing;
  listen.notify("cancelled", { requestId: 99 });
  expect(listen.isClosed).toBe(false);
  listen.notify("cancelled", { requestId: 1 });
  await listen.end();
  await vi.advanceTimersByTimeAsync(250);
  expect(listens).toHaveLength(2);
});

test("reconnecting to an unavailable server backs off exponentially (E-17)", async () => {
  const { subscriptions, listens, next } = start({ minDelayMs: 100, maxDelayMs: 400 });
  const subscribing = subscriptions.subscribe(tools, () => {});
  await (await next()).acknowledge();
  await subscribing;
  const waits: number[] = [];
  for (let i = 0; i < 5; i++) {
    await listens.at(-1)?.break();
    const before = listens.length;
    let waited = 0;
    while (listens.length === before) {
      await vi.advanceTimersByTimeAsync(10);
      waited += 10;
    }
    waits.push(waited);
  }
  expect(waits).toEqual([50, 100, 200, 200, 200]);
});

test("the first subscriber learns that a server supports no subscriptions (E-18)", async () => {
  const { subscriptions, next } = start();
  const subscribing = subscriptions.subscribe(tools, () => {});
  const refused = expect(subscribing).rejects.toMatchObject({ code: -32601 });
  await (await next()).break(new McpError(-32601, "method not found"));
  await refused;
  expect(vi.getTimerCount()).toBe(0);
});

test("a rejection after a reconnect ends the subscriptions with its error", async () => {
  const { subscriptions, listens, next } = start();
  const subscribing = subscriptions.subscribe(tools, () => {});
  await (await next()).acknowledge();
  const { ended } = await subscribing;
  await listens[0]?.break();
  await vi.advanceTimersByTimeAsync(250);
  await listens[1]?.break(new TransportError("unauthorized", "401"));
  expect(await ended).toMatchObject({ reason: "unauthorized" });
  expect(vi.getTimerCount()).toBe(0);
});

test("a missing acknowledgement fails the subscriber and closes the stream", async () => {
  const { subscriptions, next } = start({ ackTimeoutMs: 100 });
  const failed = expect(subscriptions.subscribe(tools, () => {})).rejects.toMatchObject({ reason: "timeout" });
  const listen = await next();
  await vi.advanceTimersByTimeAsync(100);
  await failed;
  expect(listen.isClosed).toBe(true);
});

test("a stream that ends before its acknowledgement is lost", async () => {
  const { subscriptions, next } = start();
  const failed = expect(subscriptions.subscribe(tools, () => {})).rejects.toMatchObject({ reason: "lost" });
  await (await next()).end();
  await failed;
});

test("closing a subscription during the backoff does not reconnect early", async () => {
  const { subscriptions, listens, next } = start();
  const one = subscriptions.subscribe(tools, () => {});
  const two = subscriptions.subscribe(tools, () => {});
  await (await next()).acknowledge();
  await listens[0]?.break();
  (await one).close();
  await settle();
  expect(listens).toHaveLength(1);
  (await two).close();
  await settle();
  expect(vi.getTimerCount()).toBe(0);
});

test("a throwing subscriber does not affect the others", async () => {
  const { subscriptions, next, onWarning } = start();
  const onChange = vi.fn();
  const one = subscriptions.subscribe(tools, () => {
    throw new Error("oops");
  });
  const two = subscriptions.subscribe(tools, onChange);
  const listen = await next();
  await listen.acknowledge();
  await Promise.all([one, two]);
  listen.notify("tools/list_changed");
  expect(onChange).toHaveBeenCalledOnce();
  expect(onWarning).toHaveBeenCalledWith(expect.stringContaining("oops"));
});

test("closing ends all subscriptions, and later ones are rejected", async () => {
  const { subscriptions, next } = start();
  const one = subscriptions.subscribe(tools, () => {});
  const listen = await next();
  await listen.acknowledge();
  const { ended } = await one;
  const waiting = expect(subscriptions.subscribe(prompts, () => {})).rejects.toMatchObject({ reason: "closed" });
  subscriptions.close();
  await waiting;
  expect(await ended).toBeUndefined();
  expect(listen.isClosed).toBe(true);
  await expect(subscriptions.subscribe(tools, () => {})).rejects.toMatchObject({ reason: "closed" });
  expect(vi.getTimerCount()).toBe(0);
});

test("the number of subscribers is bounded", async () => {
  const { subscriptions } = start({ maxSubscribers: 0 });
  await expect(subscriptions.subscribe(tools, () => {})).rejects.toMatchObject({ reason: "too_large" });
});
