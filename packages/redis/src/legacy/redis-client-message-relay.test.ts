import { once } from "node:events";
import type { JsonObject, JsonRpcNotification, JsonRpcResponse } from "@lethe/protocol";
import type { ClientMessage, ClientMessageRelay } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisClientMessageRelay, type RedisClientMessageRelayOptions } from "./redis-client-message-relay.ts";

const cancelled: JsonRpcNotification = {
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: 1 },
};
const { connect, start, atEnd } = useRedis();

interface Process extends ClientMessageRelay {
  connection: RedisConnection;
  received: ClientMessage[];
  onWarning: ReturnType<typeof vi.fn>;
}

/** Listens for the session "s". */
async function begin(options: RedisClientMessageRelayOptions = {}, place: { url?: string } = {}): Promise<Process> {
  const connection = await connect(place);
  const onWarning = vi.fn();
  const relay = await createRedisClientMessageRelay(connection, { keys, onWarning, ...options });
  const received: ClientMessage[] = [];
  relay.listen("s", (message) => received.push(message));
  return { ...relay, connection, received, onWarning };
}

function answerTo({ address }: ClientMessageRelay, result: JsonObject = {}): JsonRpcResponse {
  return { jsonrpc: "2.0", id: `${address}.q-0`, result };
}

test("delivers a response to the process that requested it and no other", async () => {
  const [one, two, three] = [await begin(), await begin(), await begin()];
  one.deliver("s", answerTo(two, { name: "Ada" }));
  await vi.waitFor(() => expect(two.received).toEqual([answerTo(two, { name: "Ada" })]));
  two.deliver("s", answerTo(two));
  expect(two.received).toHaveLength(2);
  expect([one.received, three.received]).toEqual([[], []]);
});

test("delivers a cancellation to every process once, and other notifications to none", async () => {
  const all = [await begin(), await begin(), await begin()];
  const [one] = all as [Process];
  one.deliver("s", { jsonrpc: "2.0", method: "notifications/initialized" });
  one.deliver("s", cancelled);
  await vi.waitFor(() => expect(all.slice(1).map(({ received }) => received)).toEqual([[cancelled], [cancelled]]));
  one.deliver("s", answerTo(one));
  expect(one.received.slice(1)).toEqual([cancelled, answerTo(one)]);
});

test("delivers no message of another session, nor one after the listener stopped", async () => {
  const [one, two] = [await begin(), await begin()];
  const received = vi.fn();
  two.listen("t", received)();
  one.deliver("t", answerTo(two));
  one.deliver("s", answerTo(two));
  await vi.waitFor(() => expect(two.received).toHaveLength(1));
  expect(received).not.toHaveBeenCalled();
});

test("ignores responses that are forged or encrypted for another process", async () => {
  const [one, two, three] = [await begin(), await begin(), await begin()];
  const spy = await connect();
  const texts: string[] = [];
  await spy.subscribe(`answers:${two.address}`, (text) => texts.push(text));
  one.deliver("s", answerTo(two, { secret: "cable" }));
  await vi.waitFor(() => expect([texts.length, two.received.length]).toEqual([1, 1]));
  const [sealed = ""] = texts;
  expect(sealed).not.toContain("cable");
  const forged = JSON.stringify({ from: "x", sessionId: "s", word: answerTo(three) });
  for (const text of [forged, sealed, `${sealed}A`]) await spy.publish(`answers:${three.address}`, text);
  await spy.publish("answers", sealed);
  one.deliver("s", answerTo(three));
  await vi.waitFor(() => expect(three.received).toEqual([answerTo(three)]));
});

test("drops a response with an unknown id", async () => {
  const one = await begin();
  const publish = vi.spyOn(one.connection.client, "publish");
  for (const id of ["q", ".q", "a b.q", `${"x".repeat(33)}.q`, 7, undefined])
    one.deliver("s", { jsonrpc: "2.0", id, result: {} } as JsonRpcResponse);
  expect(publish).not.toHaveBeenCalled();
  expect(one.received).toEqual([]);
});

test("resends a response for patienceMs and then drops it with one warning", async () => {
  const own = await start();
  const one = await begin({}, own);
  const two = await begin({}, own);
  const isBack = () => [one, two].map(({ connection }) => once(connection.client, "ready"));
  await Promise.all([own.stop(), ...[one, two].map(({ connection }) => once(connection.client, "close"))]);
  one.deliver("s", answerTo(two, { late: true }));
  const back = isBack();
  await start(own.port);
  await Promise.all(back);
  await vi.waitFor(() => expect(two.received).toEqual([answerTo(two, { late: true })]), 8_000);
  expect(one.onWarning).not.toHaveBeenCalled();
});

test("drops a response to a stopped process, and one above the limit, with one warning", async () => {
  const [one, two] = [await begin({ maxSending: 2, patienceMs: 300 }), await begin()];
  two.connection.close();
  await vi.waitFor(async () => expect(await one.connection.publish(`answers:${two.address}`, "")).toBe(0));
  const publish = vi.spyOn(one.connection.client, "publish");
  for (let turn = 0; turn < 3; turn++) one.deliver("s", answerTo(two));
  expect(one.onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("was not delivered"));
  await vi.waitFor(() => expect(publish).toHaveBeenCalledTimes(4));
  await vi.waitFor(() => {
    one.deliver("s", answerTo(two));
    expect(publish.mock.calls.length).toBeGreaterThan(4);
  });
  expect(one.onWarning).toHaveBeenCalledOnce();
});

test.each([{ maxBytes: 200 }, { maxSendingSize: 200 }])(
  "drops a response that is too large with a warning",
  async (options) => {
    const [one, two] = [await begin(options), await begin()];
    one.deliver("s", answerTo(two, { large: "x".repeat(200) }));
    await vi.waitFor(() => expect(one.onWarning).toHaveBeenCalledOnce());
  },
);

test("rejects without configured keys", async () => {
  vi.stubEnv("LETHE_KEYS", "");
  atEnd(() => vi.unstubAllEnvs());
  await expect(createRedisClientMessageRelay(await connect())).rejects.toThrow(
    "LETHE_KEYS or the option keys expected",
  );
});
