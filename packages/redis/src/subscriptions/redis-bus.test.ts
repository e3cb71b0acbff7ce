import { once } from "node:events";
import { type JsonObject, type JsonRpcNotification, metaKey } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import type { Bus, Change } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisBus, type RedisBusOptions } from "./redis-bus.ts";

const { connect, start, atEnd } = useRedis();

interface OpenBus {
  bus: Bus;
  connection: RedisConnection;
  heard: Change[];
  onWarning: ReturnType<typeof vi.fn>;
}

async function open(options: RedisBusOptions = {}, place: { url?: string } = {}): Promise<OpenBus> {
  const connection = await connect(place);
  const onWarning = vi.fn();
  const bus = await createRedisBus(connection, { keys, onWarning, ...options });
  const heard: Change[] = [];
  bus.subscribe((change) => heard.push(change));
  return { bus, connection, heard, onWarning };
}

test("delivers each change to every process once and in order, to its own before publish returns", async () => {
  const [one, two, three] = [await open(), await open(), await open()];
  const changes: Change[] = Array.from({ length: 100 }, (_, n) => ({ kind: "resource", uri: `u:${n}`.padEnd(n * 50) }));
  for (const change of changes) one.bus.publish(change);
  expect(one.heard).toEqual(changes);
  two.bus.publish({ kind: "tools" });
  await vi.waitFor(() => expect(three.heard).toHaveLength(101));
  expect(three.heard.filter(({ kind }) => kind === "resource")).toEqual(changes);
  await vi.waitFor(() => expect([one.heard.length, two.heard.length]).toEqual([101, 101]));
});

test("listen streams in three processes get each change once (E-13)", async () => {
  const servers: Server[] = [];
  const heard: JsonRpcNotification[][] = [];
  for (let index = 0; index < 3; index++) {
    const { bus } = await open();
    const server = createServer({ name: "s", version: "1" }, { subscriptions: { bus } });
    server.tool("t", { handler: () => "" }).resource("test://door", { name: "door", handler: () => "" });
    atEnd(() => server.close());
    servers.push(server);
    heard.push(listenTo(server));
  }
  await vi.waitFor(() => expect(heard.map(({ length }) => length)).toEqual([1, 1, 1]));
  servers[1]?.resourceUpdated("test://door");
  servers[2]?.toolsChanged();
  await vi.waitFor(() => expect(heard.map(({ length }) => length)).toEqual([3, 3, 3]));
  for (const messages of heard) {
    expect(messages.slice(1).map(({ method }) => method)).toEqual(
      expect.arrayContaining(["notifications/resources/updated", "notifications/tools/list_changed"]),
    );
  }
});

function listenTo(server: Server): JsonRpcNotification[] {
  const heard: JsonRpcNotification[] = [];
  const exchange = {
    signal: new AbortController().signal,
    caller: undefined,
    notify: (notification: JsonRpcNotification) => heard.push(notification) > 0,
    drained: () => Promise.resolve(),
  };
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
  const notifications: JsonObject = { toolsListChanged: true, resourceSubscriptions: ["test://door"] };
  void server.dispatch({ id: 1, method: "subscriptions/listen", params: { _meta, notifications } }, exchange);
  return heard;
}

test("without the keys, changes can be neither published nor read", async () => {
  const [one, two] = [await open(), await open()];
  const spied: string[] = [];
  await one.connection.subscribe("changes", (text) => spied.push(text));
  await one.connection.publish("changes", `x ${JSON.stringify({ change: { kind: "tools" } })}`);
  one.bus.publish({ kind: "task", task: { taskId: "t", status: "completed", result: { secret: "cable" } } });
  await vi.waitFor(() => expect(two.heard).toEqual(one.heard));
  expect(spied).toHaveLength(2);
  expect(spied[1]).not.toContain("cable");
});

test("delivers a change that is too large or above the limit locally only, with one warning", async () => {
  const [one, two] = [await open({ maxBytes: 100, maxSending: 1 }), await open()];
  one.bus.publish({ kind: "resource", uri: "x".repeat(100) });
  await vi.waitFor(() => expect(one.onWarning).toHaveBeenCalledOnce());
  for (const uri of ["a:", "b:", "c:"]) one.bus.publish({ kind: "resource", uri });
  await vi.waitFor(() => expect(two.heard).toHaveLength(1));
  expect(one.heard).toHaveLength(4);
  expect(one.onWarning).toHaveBeenCalledOnce();
});

test("notifies local listeners while Redis is away, and all listeners of possible changes afterwards", async () => {
  const own = await start();
  const [one, two] = [await open({}, own), await open({}, own)];
  const connections = [one.connection, two.connection];
  await Promise.all([own.stop(), ...connections.map(({ client }) => once(client, "close"))]);
  one.bus.publish({ kind: "prompts" });
  expect(one.heard).toEqual([{ kind: "prompts" }]);
  await start(own.port);
  await vi.waitFor(
    () => expect(two.heard).toEqual([{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }]),
    10_000,
  );
  await vi.waitFor(() => expect(connections.map(({ isUp }) => isUp)).toEqual([true, true]), 10_000);
  two.bus.publish({ kind: "resource", uri: "a:" });
  await vi.waitFor(() => expect(one.heard.at(-1)).toEqual({ kind: "resource", uri: "a:" }));
});

test("notifies no listener after close", async () => {
  const [one, two] = [await open(), await open()];
  await one.bus.close?.();
  two.bus.publish({ kind: "tools" });
  await vi.waitFor(async () => expect(await two.connection.publish("changes", "")).toBe(1));
  expect(one.heard).toEqual([]);
});
