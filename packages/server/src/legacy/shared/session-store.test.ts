// The session store in memory: updates, watchers, and its limits.
import { expect, it, vi } from "vitest";
import { createMemorySessionStore } from "./session-store.ts";

it("an update changes the previous state and notifies its watchers", () => {
  const store = createMemorySessionStore();
  const listener = vi.fn();
  const stop = store.watch("a", listener);
  void store.update("a", (state) => ({ ...state, logLevel: "info" }));
  void store.update("a", (state) => ({ ...state, subscriptions: ["x"] }));
  void store.update("b", (state) => ({ ...state, logLevel: "debug" }));
  expect(store.get("a")).toEqual({ logLevel: "info", subscriptions: ["x"] });
  expect(listener.mock.calls).toEqual([[{ logLevel: "info" }], [{ logLevel: "info", subscriptions: ["x"] }]]);
  stop();
  void store.forget("a");
  void store.update("a", (state) => ({ ...state, logLevel: "error" }));
  expect([store.get("a"), listener.mock.calls.length]).toEqual([{ logLevel: "error" }, 2]);
});

it("an update that throws changes nothing", () => {
  const store = createMemorySessionStore();
  void store.update("a", () => ({ logLevel: "info" }));
  expect(() =>
    store.update("a", () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(store.get("a")).toEqual({ logLevel: "info" });
});

it("the state that changed least recently is dropped beyond the limits of number and size", () => {
  const few = createMemorySessionStore({ maxSessions: 2 });
  for (const id of ["a", "b", "a", "c"]) void few.update(id, () => ({ logLevel: "info" }));
  expect(["a", "b", "c"].map((id) => few.get(id) !== undefined)).toEqual([true, false, true]);
  const small = createMemorySessionStore({ maxSize: 100 });
  void small.update("a", () => ({ subscriptions: ["x".repeat(60)] }));
  void small.update("b", () => ({ subscriptions: ["x".repeat(60)] }));
  expect(["a", "b"].map((id) => small.get(id) !== undefined)).toEqual([false, true]);
});

it("a state expires after its time to live", () => {
  let now = 0;
  const store = createMemorySessionStore({ ttlMs: 10, now: () => now });
  void store.update("a", () => ({ logLevel: "info" }));
  now = 9;
  expect(store.get("a")).toBeDefined();
  now = 10;
  expect(store.get("a")).toBeUndefined();
});
