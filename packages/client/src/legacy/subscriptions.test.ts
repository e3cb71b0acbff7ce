// subscriptions/listen in front of a legacy server (E.2, D-26, D-51).
import { type JsonObject, type JsonRpcNotification, metaKey } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  type Answer,
  createFakeExchange,
  createFakeLegacyServer,
  type FakeLegacyServer,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
};
const ok: Answer = () => ({});
const sid = { [metaKey.subscriptionId]: "caller-1" };
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function connected(options: Partial<LegacyOptions> = {}, capabilities: JsonObject = everything) {
  const answers = { "resources/subscribe": ok, "resources/unsubscribe": ok };
  const server = createFakeLegacyServer(capabilities, answers);
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });
  async function listen(notifications: JsonObject, exchange = createFakeExchange()) {
    const ended = connection.dispatch(modernRequest("subscriptions/listen", { notifications }), exchange);
    ended.catch(() => {});
    await turn();
    return { ended, exchange };
  }
  return { server, connection, listen };
}

const sent = ({ received }: FakeLegacyServer, method: string) =>
  received.filter((m) => "method" in m && m.method === method).map((m) => ("params" in m ? m.params?.uri : undefined));

describe("subscriptions to a legacy server", () => {
  it("acknowledges with the effective filter and tags every notification (E-11, A-37)", async () => {
    const { server, listen } = await connected();
    const { exchange } = await listen({ toolsListChanged: true, resourceSubscriptions: ["a:1", "a:1"] });
    server.tell("notifications/tools/list_changed");
    server.tell("notifications/prompts/list_changed");
    server.tell("notifications/resources/updated", { uri: "a:1", title: "t", _meta: { x: 1 } });
    server.tell("notifications/resources/updated", { uri: "a:2" });
    expect(exchange.notes).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["a:1"] }, _meta: sid },
      },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: sid } },
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:1", title: "t", _meta: sid } },
    ]);
  });

  it("grants only kinds that the server declared (E-11)", async () => {
    const { server, listen } = await connected({}, { tools: {}, prompts: {}, resources: {} });
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const { exchange } = await listen({ ...wanted, resourceSubscriptions: ["a:1"], taskIds: ["t"] });
    expect(exchange.notes.map(({ params }) => params?.notifications)).toEqual([{}]);
    expect(sent(server, "resources/subscribe")).toEqual([]);
  });

  it("delivers nothing before the acknowledgement, and no resource that the server refused", async () => {
    const refuse = { error: { code: -32602, message: "no" } };
    const answers: Record<string, Answer> = {
      "resources/subscribe": (request) => (request.params?.uri === "a:no" ? refuse : undefined),
    };
    const server = createFakeLegacyServer(everything, answers);
    const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" } });
    const exchange = createFakeExchange();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["a:no", "a:yes"] };
    void connection.dispatch(modernRequest("subscriptions/listen", { notifications }), exchange);
    const { id } = await server.next((m): m is never => "params" in m && m.params?.uri === "a:yes");
    server.tell("notifications/tools/list_changed");
    expect(exchange.notes).toEqual([]);
    server.say({ jsonrpc: "2.0", id, result: {} });
    await turn();
    expect(exchange.notes.map(({ params }) => params?.notifications)).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ["a:yes"] },
    ]);
  });

  it("delivers changes of sub-resources of a watched resource, but not of similar URIs (E-13)", async () => {
    const { server, listen } = await connected();
    const { exchange } = await listen({ resourceSubscriptions: ["a:1", "b:/"] });
    for (const uri of ["a:1/x", "a:1#y", "a:12", "b:/z"]) server.tell("notifications/resources/updated", { uri });
    expect(exchange.notes.slice(1).map(({ params }) => params?.uri)).toEqual(["a:1/x", "a:1#y", "b:/z"]);
  });

  it("ends a subscription when its caller disconnects (E-15)", async () => {
    const { server, listen } = await connected();
    const { ended, exchange } = await listen({ toolsListChanged: true, resourceSubscriptions: ["a:1"] });
    exchange.cancel();
    await expect(ended).rejects.toMatchObject({ reason: "cancelled" });
    await turn();
    server.tell("notifications/tools/list_changed");
    expect(exchange.notes).toHaveLength(1);
    expect(sent(server, "resources/unsubscribe")).toEqual(["a:1"]);
  });

  it("ends a subscription with a result when the connection is closed on purpose (E-16)", async () => {
    const { connection, listen } = await connected();
    const { ended } = await listen({});
    await connection.close();
    expect(await ended).toMatchObject({ resultType: "complete", _meta: sid });
  });

  it("rejects a subscription when the server dies (E-17)", async () => {
    const { server, listen } = await connected();
    const { ended } = await listen({});
    server.die("gone");
    await expect(ended).rejects.toMatchObject({ name: "TransportError", reason: "lost" });
  });

  it("delivers each change once to a slow reader", async () => {
    const { server, listen } = await connected();
    const notes: JsonRpcNotification[] = [];
    let drain = () => {};
    const exchange = {
      ...createFakeExchange(),
      notify: (note: JsonRpcNotification) => notes.push(note) > 2,
      drained: () => new Promise<void>((resolve) => (drain = resolve)),
    };
    await listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["a:1"] }, exchange);
    for (const kind of ["tools", "prompts", "tools", "tools"]) server.tell(`notifications/${kind}/list_changed`);
    server.tell("notifications/resources/updated", { uri: "a:1" });
    expect(notes).toHaveLength(1);
    for (let round = 0; round < 3; round++) {
      drain();
      await turn();
    }
    expect(notes.slice(1).map(({ method }) => method)).toEqual([
      "notifications/prompts/list_changed",
      "notifications/tools/list_changed",
      "notifications/resources/updated",
    ]);
  });
});

describe("several subscriptions", () => {
  it("subscribes to a resource once, until no subscription needs it", async () => {
    const { server, listen } = await connected();
    const first = await listen({ resourceSubscriptions: ["a:1"] });
    const second = await listen({ resourceSubscriptions: ["a:1", "a:2"] });
    server.tell("notifications/resources/updated", { uri: "a:1" });
    expect([first.exchange.notes.length, second.exchange.notes.length]).toEqual([2, 2]);
    first.exchange.cancel();
    await turn();
    expect(sent(server, "resources/subscribe")).toEqual(["a:1", "a:2"]);
    expect(sent(server, "resources/unsubscribe")).toEqual([]);
    second.exchange.cancel();
    await turn();
    expect(sent(server, "resources/unsubscribe").toSorted()).toEqual(["a:1", "a:2"]);
    await listen({ resourceSubscriptions: ["a:1"] });
    expect(sent(server, "resources/subscribe")).toEqual(["a:1", "a:2", "a:1"]);
  });

  it("limits the number of subscriptions and of resources per subscription", async () => {
    const { listen } = await connected({ maxListens: 1, maxWatchedResources: 1 });
    const { exchange } = await listen({ resourceSubscriptions: ["a:1", "a:2"] });
    expect(exchange.notes[0]?.params?.notifications).toEqual({ resourceSubscriptions: ["a:1"] });
    const { ended } = await listen({});
    await expect(ended).rejects.toMatchObject({ code: -32603 });
  });
});
