// Event streams of a session: what survives a lost connection, and for how long (D-34, D-35).
import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { describeMatrix, fetchPlatform } from "../../testing/http-platforms.ts";
import {
  begin,
  eventsOf,
  type LegacyClient,
  messagesOf,
  type RawEvent,
  resume,
  take,
} from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import { createMemoryEventLog } from "../shared/event-log.ts";
import { createMemorySessionStore, type SessionStore } from "../shared/session-store.ts";

const keys = `one:${"A".repeat(43)}`;
const call = (name: string, meta: JsonObject = {}, id: string | number = 1): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, _meta: { progressToken: "p", ...meta } },
});
const leaving = { "test/disconnect": true };
const waited = { jsonrpc: "2.0", id: "w", result: { content: [{ type: "text", text: "waited" }] } };
const toolsChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

function dataOf({ data }: RawEvent): unknown {
  return JSON.parse(data ?? "");
}

/** Resumes a stream and reads it to its end. The first event repeats the position, for a client that is disconnected early. */
async function rest(
  old: LegacyClient,
  id: string | undefined,
  retry = "1000",
): Promise<{ status: number; events: RawEvent[] }> {
  const answer = await old.get({ "last-event-id": id }).answer;
  const events: RawEvent[] = [];
  for await (const event of eventsOf(answer)) events.push(event);
  if (answer.status === 200) expect(events.shift()).toEqual({ id, data: "", retry });
  return { status: answer.status, events };
}

describeMatrix("the stream of a call", (platform) => {
  it("starts with an event in 2025-11-25 that has the reconnection time and no data, and every event has an id", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    const events: RawEvent[] = [];
    for await (const event of eventsOf(await old.post(call("progress")))) events.push(event);
    expect(events[0]).toEqual({ id: expect.any(String), data: "", retry: "1000" });
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events.slice(1).map(dataOf)).toMatchObject([
      { method: "notifications/progress" },
      {},
      { id: 1, result: {} },
    ]);
  });

  it("starts with the first message in older revisions, whose clients parse every event", async () => {
    await using client = await platform.open(createFixture().server);
    const stream = eventsOf(await (await begin(client, "2025-06-18")).post(call("progress")));
    expect(dataOf(await take(stream))).toMatchObject({ method: "notifications/progress" });
    await stream.return();
  });

  it("resumes where the client lost it, while the call runs and afterwards", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const { answer, leave } = old.open(call("wait", {}, "w"));
    const stream = eventsOf(await answer);
    const first = await take(stream);
    await take(stream);
    leave();
    await stream.return();
    const again = rest(old, first.id);
    await vi.waitUntil(async () => (await old.request("ping")).result, { interval: 1 });
    fixture.release();
    const { status, events } = await again;
    expect([status, events.map(dataOf)]).toMatchObject([200, [{ method: "notifications/progress" }, waited]]);
    expect((await rest(old, events[0]?.id)).events).toEqual(events.slice(1));
    expect(await rest(old, events[1]?.id)).toEqual({ status: 204, events: [] });
  });

  it("is closed by a long call, and the client reconnects for the result (polling)", async () => {
    const fixture = createFixture({ legacy: { retryMs: 20 } });
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const events: RawEvent[] = [];
    for await (const event of eventsOf(await old.post(call("wait", leaving, "w")))) events.push(event);
    expect(events).toEqual([{ id: expect.any(String), data: "", retry: "20" }]);
    fixture.release();
    expect((await rest(old, events[0]?.id, "20")).events.map(dataOf)).toMatchObject([{}, waited]);
  });

  it("stays open if the client would not reconnect", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const answer = (await begin(client, "2025-06-18")).post(call("wait", leaving, "w"));
    fixture.release();
    expect(await (await answer).text()).toContain("waited");
  });

  it("is closed repeatedly with pollAfterMs", async () => {
    const fixture = createFixture({ legacy: { pollAfterMs: 5, retryMs: 1 } });
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const first: RawEvent[] = [];
    const body = { jsonrpc: "2.0", id: "w", method: "tools/call", params: { name: "wait" } };
    for await (const event of eventsOf(await old.post(body))) first.push(event);
    expect(first).toEqual([{ id: expect.any(String), data: "", retry: "1" }]);
    expect((await rest(old, first[0]?.id, "1")).events).toEqual([]);
    fixture.release();
    const { events } = await rest(old, first[0]?.id, "1");
    expect(events.map(dataOf)).toEqual([waited]);
  });

  it("stays open with pollAfterMs if a client of an older revision has resumed it", async () => {
    const fixture = createFixture({ legacy: { pollAfterMs: 1 } });
    await using client = await platform.open(fixture.server);
    const old = await begin(client, "2025-06-18");
    const { answer, leave } = old.open(call("wait", {}, "w"));
    const stream = eventsOf(await answer);
    const { id } = await take(stream);
    leave();
    await stream.return();
    const resumed = eventsOf(await old.get({ "last-event-id": id }).answer);
    // The stream of this call began later, and polling closes it.
    for await (const _event of eventsOf(await (await begin(client)).post(call("wait", {}, "w"))));
    fixture.release();
    expect(dataOf(await take(resumed))).toMatchObject(waited);
  });

  it("opens after streamAfterMs, so that the result of a long call cannot be lost", async () => {
    const fixture = createFixture({ legacy: { streamAfterMs: 1 } });
    await using client = await platform.open(fixture.server);
    const body = { jsonrpc: "2.0", id: "w", method: "tools/call", params: { name: "wait" } };
    const answer = await (await begin(client)).post(body);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    fixture.release();
    expect(await answer.text()).toContain("waited");
  });

  it("of a stopped process is lost, and the client gets an error immediately", async () => {
    await using client = await platform.open(createFixture({ keys }).server);
    await using other = await platform.open(createFixture({ keys }).server);
    const old = await begin(client);
    const stream = eventsOf(await old.post(call("wait", {}, "w/7")));
    const { id } = await take(stream);
    await stream.return();
    const { events } = await rest(resume(other, "2025-11-25", old.sessionId), id);
    expect(events.map(dataOf)).toMatchObject([{ id: "w/7", error: { code: -32603 } }]);
  });

  it("resumes in another process that shares the event log", async () => {
    const events = createMemoryEventLog();
    const fixture = createFixture({ keys, legacy: { events } });
    await using client = await platform.open(fixture.server);
    await using other = await platform.open(createFixture({ keys, legacy: { events } }).server);
    const old = await begin(client);
    const stream = eventsOf(await old.post(call("wait", leaving, "w")));
    const { id } = await take(stream);
    await stream.return();
    const again = rest(resume(other, "2025-11-25", old.sessionId), id);
    fixture.release();
    expect((await again).events.map(dataOf)).toMatchObject([{}, waited]);
  });

  it("has no event without data when clients of older revisions reconnect", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const old = await begin(client, "2025-06-18");
    const stream = eventsOf(await old.post(call("wait", {}, "w")));
    const { id } = await take(stream);
    await stream.return();
    fixture.release();
    const again = eventsOf(await old.get({ "last-event-id": id }).answer);
    expect(dataOf(await take(again))).toEqual(waited);
  });

  it("cannot be resumed from another session", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    const stream = eventsOf(await old.post(call("progress")));
    const { id } = await take(stream);
    await stream.return();
    const { events } = await rest(await begin(client), id);
    expect(events.map(dataOf)).toMatchObject([{ error: { message: expect.stringContaining("lost") } }]);
  });
});

describe("a resumed stream whose client leaves early", () => {
  it("does not follow the event log", async () => {
    const log = createMemoryEventLog();
    const stop = vi.fn();
    let find = (): void => {};
    const found = new Promise<void>((resolve) => {
      find = resolve;
    });
    const events = { ...log, follow: () => found.then(() => ({ isEnded: false, stop })) };
    await using client = await fetchPlatform.open(createFixture({ legacy: { events } }).server);
    const old = await begin(client);
    const { leave } = old.get({ "last-event-id": "stream.1.1" });
    await settled(old);
    leave();
    find();
    await vi.waitUntil(() => stop.mock.calls.length === 1, { interval: 1 });
  });
});

describeMatrix("the GET stream (D-34)", (platform) => {
  it("sends list changes, and updates of the resources that the session subscribes to (D-26)", async () => {
    const { server } = createFixture();
    await using client = await platform.open(server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    const stream = messagesOf(await answer);
    await settled(old);
    server.toolsChanged();
    expect(await take(stream)).toEqual(toolsChanged);
    expect(await old.request("resources/subscribe", { uri: "test://a" })).toMatchObject({ result: {} });
    await settled(old);
    server.resourceUpdated("test://a");
    const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "test://a" } };
    expect(await take(stream)).toEqual(updated);
    await old.request("resources/unsubscribe", { uri: "test://a" });
    await settled(old);
    server.resourceUpdated("test://a");
    server.promptsChanged();
    server.toolsChanged();
    expect(await take(stream)).toEqual(toolsChanged);
    leave();
    await stream.return();
  });

  it("misses no update after the result of resources/subscribe, even if the core confirms late (D-26)", async () => {
    const { server } = createFixture();
    server.use((next) => async (request, exchange) => {
      for (let turn = 0; request.method === "subscriptions/listen" && turn < 10; turn++) await setImmediate();
      return next(request, exchange);
    });
    await using client = await platform.open(server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    const stream = messagesOf(await answer);
    await old.request("resources/subscribe", { uri: "test://a" });
    server.resourceUpdated("test://a");
    expect(await take(stream)).toMatchObject({ method: "notifications/resources/updated" });
    leave();
    await stream.return();
  });

  it("loses no notification between a lost connection and the reconnect", async () => {
    const { server } = createFixture();
    await using client = await platform.open(server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    const stream = eventsOf(await answer);
    const { id } = await take(stream);
    await settled(old);
    leave();
    await stream.return();
    await settled(old);
    server.toolsChanged();
    const again = eventsOf(await old.get({ "last-event-id": id }).answer);
    expect(await take(again)).toEqual({ id: expect.any(String), data: "", retry: "1000" });
    expect(dataOf(await take(again))).toEqual(toolsChanged);
    await settled(old);
    server.toolsChanged();
    expect(dataOf(await take(again))).toEqual(toolsChanged);
    await again.return();
  });

  it("sends each notification once, on the newer of two streams", async () => {
    const { server } = createFixture();
    await using client = await platform.open(server);
    const old = await begin(client);
    const first = messagesOf(await old.get().answer);
    await settled(old);
    const second = messagesOf(await old.get().answer);
    expect((await first.next()).done).toBe(true);
    server.toolsChanged();
    expect(await take(second)).toEqual(toolsChanged);
    await second.return();
  });

  it("ends with the session and with the server", async () => {
    const { server } = createFixture();
    await using client = await platform.open(server);
    const old = await begin(client);
    const stream = messagesOf(await old.get().answer);
    await settled(old);
    await old.delete();
    expect((await stream.next()).done).toBe(true);
    const other = messagesOf(await (await begin(client)).get().answer);
    await server.close();
    expect((await other.next()).done).toBe(true);
  });

  it("ends in every process that shares the store, and includes subscriptions of other processes", async () => {
    const store = createMemorySessionStore();
    const { server } = createFixture({ keys, legacy: { store } });
    await using client = await platform.open(server);
    await using other = await platform.open(createFixture({ keys, legacy: { store } }).server);
    const old = await begin(client);
    const elsewhere = resume(other, "2025-11-25", old.sessionId);
    const stream = messagesOf(await old.get().answer);
    await elsewhere.request("resources/subscribe", { uri: "test://a" });
    await settled(old);
    server.resourceUpdated("test://a");
    expect(await take(stream)).toMatchObject({ params: { uri: "test://a" } });
    await elsewhere.delete();
    expect((await stream.next()).done).toBe(true);
    expect((await old.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
  });

  it("ends some time after its client left", async () => {
    const { server } = createFixture({ legacy: { maxStreamsPerSession: 1, resume: { maxAgeMs: 20 } } });
    await using client = await platform.open(server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    await answer;
    expect((await old.get().answer).status).toBe(429);
    leave();
    await vi.waitUntil(async () => (await old.get().answer).status === 200, { interval: 5 });
  });

  it("resumed in another process sends each notification once, although the lost stream still runs", async () => {
    const events = createMemoryEventLog();
    const [one, two] = [createFixture({ legacy: { events }, keys }), createFixture({ legacy: { events }, keys })];
    await using first = await platform.open(one.server);
    await using second = await platform.open(two.server);
    const there = await begin(first);
    const lost = there.get();
    const { id } = await take(eventsOf(await lost.answer));
    const here = resume(second, "2025-11-25", there.sessionId);
    const { answer, leave } = here.get({ "last-event-id": id });
    const told = messagesOf(await answer);
    await settled(here);
    one.server.toolsChanged();
    two.server.resourcesChanged();
    expect(await take(told)).toMatchObject({ method: "notifications/resources/list_changed" });
    leave();
    lost.leave();
  });

  it("counts for the limit of streams per session", async () => {
    await using client = await platform.open(createFixture({ legacy: { maxStreamsPerSession: 1 } }).server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    await answer;
    expect((await old.get().answer).status).toBe(429);
    leave();
  });
});

type Change = Parameters<SessionStore["update"]>[1];

describe("a session with more subscriptions than the core allows", () => {
  it("keeps the subscriptions that the core accepted", async () => {
    const { server } = createFixture({ subscriptions: { maxUrisPerStream: 2 } });
    await using client = await fetchPlatform.open(server);
    const old = await begin(client);
    const { answer, leave } = old.get();
    const told = messagesOf(await answer);
    for (const name of ["a", "b", "c"]) await old.request("resources/subscribe", { uri: `test://${name}` });
    await settled(old);
    server.resourceUpdated("test://c");
    server.resourceUpdated("test://a");
    expect(await take(told)).toMatchObject({ params: { uri: "test://a" } });
    await old.request("resources/unsubscribe", { uri: "test://b" });
    await settled(old);
    server.resourceUpdated("test://c");
    expect(await take(told)).toMatchObject({ params: { uri: "test://c" } });
    leave();
  });
});

describe("a session without a stream", () => {
  it("is limited in the number of resource subscriptions", async () => {
    const subscriptions = Array.from({ length: 1000 }, (_, index) => `test://${index}`);
    const full = createMemorySessionStore();
    const store = { ...full, update: (id: string, change: Change) => full.update(id, () => change({ subscriptions })) };
    await using client = await fetchPlatform.open(createFixture({ legacy: { store } }).server);
    const old = await begin(client);
    expect(await old.request("resources/subscribe", { uri: "test://one-more" })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await old.request("resources/subscribe", { uri: "test://1" })).toMatchObject({ result: {} });
    expect(await old.request("resources/subscribe", { uri: 1 })).toMatchObject({ error: { code: -32602 } });
  });

  it("is limited in the characters of all its subscribed URIs, until it unsubscribes from some", async () => {
    await using client = await fetchPlatform.open(createFixture().server);
    const old = await begin(client);
    const [long, other] = ["a", "b"].map((name) => ({ uri: `test://${name}`.padEnd(150_000, "x") }));
    expect(await old.request("resources/subscribe", long)).toMatchObject({ result: {} });
    expect(await old.request("resources/subscribe", long)).toMatchObject({ result: {} });
    expect(await old.request("resources/subscribe", other)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("at most 262144 characters") },
    });
    expect(await old.request("resources/unsubscribe", long)).toMatchObject({ result: {} });
    expect(await old.request("resources/subscribe", other)).toMatchObject({ result: {} });
  });
});

/** Resolves when all messages in progress have been handled: after a round trip and some turns of the event loop. */
async function settled(old: LegacyClient): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await old.request("tools/list");
}
