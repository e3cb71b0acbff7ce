// What the stores for clients of older revisions do beyond their contract suites: between several processes.
import type { RelayedPost } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { keys, usePostgres } from "../testing/own-postgres.ts";
import { createPostgresClientMessageRelay } from "./postgres-client-message-relay.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";
import { createPostgresSessionStore } from "./postgres-session-store.ts";
import { createPostgresStreamRelay } from "./postgres-stream-relay.ts";

const { connect } = usePostgres();

test("a process learns the change of a session that another process made, and calls its watchers", async () => {
  const [one, other] = await Promise.all([1, 2].map(async () => createPostgresSessionStore(await connect(), { keys })));
  expect(await other?.get("s")).toBeUndefined();
  const watched = vi.fn();
  other?.watch("s", watched);
  await one?.update("s", (state) => ({ ...state, logLevel: "debug" }));
  await vi.waitFor(() => expect(watched).toHaveBeenCalledExactlyOnceWith({ logLevel: "debug" }), 10_000);
  expect(await other?.get("s")).toEqual({ logLevel: "debug" });
});

test("two processes lose no change of a session", async () => {
  const stores = await Promise.all([1, 2].map(async () => createPostgresSessionStore(await connect(), { keys })));
  const addOne = (index: number) =>
    stores[index % 2]?.update("s", (state) => ({ ...state, tasks: [...(state.tasks ?? []), "task"] }));
  await Promise.all(Array.from({ length: 12 }, (_, index) => addOne(index)));
  const fresh = await createPostgresSessionStore(await connect(), { keys });
  expect((await fresh.get("s"))?.tasks).toHaveLength(12);
});

test("delivers a response to the process that its id names, and a cancellation to all", async () => {
  const relays = await Promise.all(
    [1, 2, 3].map(async () => createPostgresClientMessageRelay(await connect(), { keys })),
  );
  const heard = relays.map((relay) => {
    const messages: unknown[] = [];
    relay.listen("s", (message) => messages.push(message));
    return messages;
  });
  const response = { jsonrpc: "2.0", id: `${relays[1]?.address}.1`, result: { a: "x".repeat(20_000) } } as const;
  relays[0]?.deliver("s", response);
  await vi.waitFor(() => expect(heard[1]).toEqual([response]), 10_000);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
  relays[0]?.deliver("s", cancelled);
  await vi.waitFor(() => expect(heard).toEqual([[cancelled], [response, cancelled], [cancelled]]), 10_000);
});

test("warns once when the process that a response names has ended", async () => {
  const onWarning = vi.fn();
  const relay = await createPostgresClientMessageRelay(await connect(), { keys, patienceMs: 50, onWarning });
  for (const id of ["gone.1", "gone.2"]) relay.deliver("s", { jsonrpc: "2.0", id, result: {} });
  await vi.waitFor(() => expect(onWarning).toHaveBeenCalledOnce(), 10_000);
});

test("forwards posts in order and once, and reports a process that has ended", async () => {
  const [one, two] = await Promise.all(
    [1, 2].map(async () => createPostgresStreamRelay(await connect(), { keys, patienceMs: 20_000 })),
  );
  const heard: RelayedPost[] = [];
  two?.listen((post) => heard.push(post));
  const posts = Array.from(
    { length: 10 },
    (_, n): RelayedPost => ({
      ...{ sessionId: "a.s", message: { id: n }, caller: { id: "ann" }, isAnonymous: false },
    }),
  );
  const sent = await Promise.all(posts.map((post) => one?.send(two?.address ?? "", post)));
  expect(new Set(sent)).toEqual(new Set([true]));
  expect(heard).toEqual(posts);
  const hasty = await createPostgresStreamRelay(await connect(), { keys, patienceMs: 50 });
  expect(await hasty.send("gone", posts[0] as RelayedPost)).toBe(false);
});

test("another process follows an open stream, and learns that its writer has died", async () => {
  const stream = { sessionId: "s", streamId: "1" };
  const writing = await connect();
  const writer = await createPostgresEventLog(writing, { keys, leaseMs: 1_500, maxEvents: 3 });
  const reader = await createPostgresEventLog(await connect(), { keys, leaseMs: 300 });
  writer.begin(stream);
  for (let seq = 1; seq <= 5; seq++) writer.append(stream, seq, `event ${seq}`);
  const [event, end] = [vi.fn(), vi.fn()];
  await vi.waitFor(async () => expect(await reader.follow(stream, 4, { event() {}, end() {} })).toBeDefined(), 10_000);
  expect(await reader.follow(stream, 0, { event, end })).toMatchObject({ isEnded: false });
  await vi.waitFor(() => expect(event).toHaveBeenLastCalledWith(5, "event 5"), 10_000);
  writer.append(stream, 6, "event 6");
  await vi.waitFor(() => expect(event).toHaveBeenLastCalledWith(6, "event 6"), 10_000);
  // Only the newest three are kept.
  expect(event.mock.calls[0]).toEqual([3, "event 3"]);
  await writing.close();
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce(), 10_000);
});
