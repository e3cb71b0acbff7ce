import { describe, expect, it } from "vitest";
import { createMemorySingleUseStore, type MemorySingleUseOptions } from "./memory-single-use-store.ts";
import type { Round } from "./single-use-store.ts";

function round(id: string, more: Partial<Round> = {}): Round {
  return { id, callerId: "ann", expiresAt: 600_000, inputs: "yes", ...more };
}

function open(options: MemorySingleUseOptions = {}) {
  const clock = { time: 0 };
  return { clock, store: createMemorySingleUseStore({ now: () => clock.time, ...options }) };
}

describe("createMemorySingleUseStore", () => {
  it("lets one request claim a state, and tells the others its status (E-28)", () => {
    const { store } = open();
    expect(store.claim(round("a"))).toEqual({ status: "claimed" });
    expect(store.claim(round("a"))).toEqual({ status: "running" });
    expect(store.claim(round("a", { inputs: "no" }))).toEqual({ status: "used" });
    void store.settle(round("a"), "answer");
    expect(store.claim(round("a"))).toEqual({ status: "answered", answer: "answer" });
    expect(store.claim(round("a", { inputs: "no" }))).toEqual({ status: "used" });
  });

  it("forgets an answer after keepAnswersMs, but remembers a used state until its token expires", () => {
    const { clock, store } = open({ keepAnswersMs: 100 });
    void store.claim(round("a"));
    void store.settle(round("a"), "answer");
    clock.time = 100;
    expect(store.claim(round("a"))).toEqual({ status: "used" });
    clock.time = 599_999;
    expect(store.claim(round("a"))).toEqual({ status: "used" });
    clock.time = 600_000;
    expect(store.claim(round("a", { expiresAt: 700_000 }))).toEqual({ status: "claimed" });
  });

  it("lets a released state be claimed again, with any inputs", () => {
    const { store } = open();
    void store.claim(round("a"));
    void store.release(round("a"));
    expect(store.claim(round("a", { inputs: "no" }))).toEqual({ status: "claimed" });
  });

  it("rejects new states when it is full, and forgets none", () => {
    const { clock, store } = open({ maxStates: 2 });
    const statuses = ["a", "b", "c"].map((id) => store.claim(round(id, { callerId: id })));
    expect(statuses).toEqual([{ status: "claimed" }, { status: "claimed" }, { status: "full", isCaller: false }]);
    expect(store.claim(round("a", { callerId: "a", inputs: "no" }))).toEqual({ status: "used" });
    clock.time = 600_000;
    expect(store.claim(round("c", { expiresAt: 700_000 }))).toEqual({ status: "claimed" });
  });

  it("rejects a caller that has used up its share, and no other caller", () => {
    const { store } = open({ maxStatesPerCaller: 2 });
    const claims = ["a", "b", "c"].map((id) => store.claim(round(id)));
    expect(claims.at(-1)).toEqual({ status: "full", isCaller: true });
    expect(store.claim(round("d", { callerId: "bob" }))).toEqual({ status: "claimed" });
    expect(store.claim(round("e", { callerId: undefined }))).toEqual({ status: "claimed" });
    void store.release(round("a"));
    expect(store.claim(round("c"))).toEqual({ status: "claimed" });
  });

  it("evicts a caller's own oldest answers to make room for its new ones", () => {
    const { store } = open({ maxAnswerBytesPerCaller: 20 });
    for (const [id, callerId] of [["bob", "bob"], ["a"], ["b"], ["c"]] as const) {
      const one = round(id, callerId ? { callerId } : {});
      void store.claim(one);
      void store.settle(one, "12345");
    }
    expect(["a", "b", "c"].map((id) => store.claim(round(id)))).toMatchObject([
      { status: "used" },
      { status: "answered" },
      { status: "answered" },
    ]);
    expect(store.claim(round("bob", { callerId: "bob" }))).toMatchObject({ status: "answered" });
  });

  it("keeps all answers within maxAnswerBytes, and none that is larger than a share", () => {
    const { store } = open({ maxAnswerBytes: 20, maxAnswerBytesPerCaller: 12 });
    for (const id of ["a", "b", "c", "large"]) {
      const one = round(id, { callerId: id });
      void store.claim(one);
      void store.settle(one, id === "large" ? "1234567" : "12345");
    }
    const claims = ["a", "b", "c", "large"].map((id) => store.claim(round(id, { callerId: id })));
    expect(claims).toMatchObject([
      { status: "used" },
      { status: "answered" },
      { status: "answered" },
      { status: "used" },
    ]);
  });

  it("claims 100,000 states of one caller in linear time", () => {
    const { clock, store } = open({ maxStatesPerCaller: 100_000, maxAnswerBytesPerCaller: 1_000, keepAnswersMs: 10 });
    const startedAt = performance.now();
    for (let index = 0; index < 100_000; index += 1) {
      const one = round(String(index));
      clock.time = index / 1_000;
      void store.claim(one);
      void store.settle(one, "12345");
    }
    // Looking through all states for each claim takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
