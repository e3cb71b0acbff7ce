// The contracts of the stores for clients of older revisions as test suites.
import { requireEqual, requireEventually, type TestRunner } from "../../contracts/test-runner.ts";
import type { ClientMessage, ClientMessageRelay } from "./client-message-relay.ts";
import type { EventLog, StreamName } from "./event-log.ts";
import type { SessionState, SessionStore } from "./session-store.ts";

/**
 * Defines the tests that every implementation of ClientMessageRelay must pass. `open` creates an unused relay for each test.
 *
 * @example
 * import { createMemoryClientMessageRelay, describeClientMessageRelay } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeClientMessageRelay({ it: (_, body) => tests.push(body) }, () => createMemoryClientMessageRelay());
 * for (const run of tests) await run();
 */
export function describeClientMessageRelay(
  { it }: TestRunner,
  open: () => ClientMessageRelay | Promise<ClientMessageRelay>,
): void {
  it("delivers a response to the listeners of its session and no other", async () => {
    const relay = await open();
    const [own, other]: [ClientMessage[], ClientMessage[]] = [[], []];
    relay.listen("one", (message) => own.push(message));
    relay.listen("two", (message) => other.push(message));
    const response = { jsonrpc: "2.0", id: `${relay.address ?? "process"}.1`, result: {} } as const;
    relay.deliver("one", response);
    await requireEventually(() => own, [response]);
    requireEqual(other, []);
  });

  it("calls no listener after it stopped", async () => {
    const relay = await open();
    const [stopped, listening]: [ClientMessage[], ClientMessage[]] = [[], []];
    const stop = relay.listen("one", (message) => stopped.push(message));
    relay.listen("one", (message) => listening.push(message));
    stop();
    relay.deliver("one", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await requireEventually(() => listening.length, 1);
    requireEqual(stopped, []);
  });
}

/**
 * Defines the tests that every implementation of SessionStore must pass. `open` creates an empty store for each test.
 *
 * @example
 * import { createMemorySessionStore, describeSessionStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeSessionStore({ it: (_, body) => tests.push(body) }, () => createMemorySessionStore());
 * for (const run of tests) await run();
 */
export function describeSessionStore({ it }: TestRunner, open: () => SessionStore | Promise<SessionStore>): void {
  it("returns the state that an update made, and undefined for an unknown session", async () => {
    const store = await open();
    await store.update("one", (state) => ({ ...state, logLevel: "debug" }));
    requireEqual(await store.get("one"), { logLevel: "debug" });
    requireEqual(await store.get("two"), undefined);
  });

  it("loses no concurrent update", async () => {
    const store = await open();
    const addOne = (state: SessionState) => ({ ...state, tasks: [...(state.tasks ?? []), "task"] });
    await Promise.all(Array.from({ length: 100 }, () => store.update("one", addOne)));
    requireEqual((await store.get("one"))?.tasks?.length, 100);
  });

  it("notifies watchers of a session until they stop", async () => {
    const store = await open();
    const [stopped, watching]: [SessionState[], SessionState[]] = [[], []];
    const stop = store.watch("one", (state) => stopped.push(state));
    store.watch("one", (state) => watching.push(state));
    stop();
    await store.update("one", () => ({ isTerminated: true }));
    await store.update("two", () => ({ isTerminated: true }));
    await requireEventually(() => watching, [{ isTerminated: true }]);
    requireEqual(stopped, []);
  });

  it("deletes the state of a forgotten session", async () => {
    const store = await open();
    await store.update("one", () => ({ logLevel: "debug" }));
    await store.forget("one");
    await requireEventually(() => store.get("one"), undefined);
  });
}

const stream: StreamName = { sessionId: "session", streamId: "1" };

/**
 * Defines the tests that every implementation of EventLog must pass. `open` creates an empty log for each test.
 *
 * @example
 * import { createMemoryEventLog, describeEventLog } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeEventLog({ it: (_, body) => tests.push(body) }, () => createMemoryEventLog());
 * for (const run of tests) await run();
 */
export function describeEventLog({ it }: TestRunner, open: () => EventLog | Promise<EventLog>): void {
  it("replays the events after a number, then passes new ones and the end", async () => {
    const log = await open();
    const events: string[] = [];
    log.begin(stream);
    for (const seq of [1, 2, 3]) log.append(stream, seq, `event ${seq}`);
    const follower = {
      event: (seq: number, text: string) => void events.push(`${seq} ${text}`),
      end: () => void events.push("end"),
    };
    await requireEventually(async () => (await log.follow(stream, 3, { event() {}, end() {} }))?.isEnded, false);
    await log.follow(stream, 1, follower);
    log.append(stream, 4, "event 4");
    log.end(stream);
    await requireEventually(() => events, ["2 event 2", "3 event 3", "4 event 4", "end"]);
  });

  it("returns undefined for an unknown stream", async () => {
    const log = await open();
    requireEqual((await log.follow(stream, 0, { event() {}, end() {} })) === undefined, true);
  });

  it("passes the remaining events of a stream that has ended", async () => {
    const log = await open();
    const events: string[] = [];
    log.begin(stream);
    log.append(stream, 1, "event 1");
    log.end(stream);
    const follow = () => log.follow(stream, 0, { event: (_, text) => void events.push(text), end() {} });
    await requireEventually(async () => (await follow())?.isEnded, true);
    requireEqual(events.slice(-1), ["event 1"]);
  });
}
