import type { JsonObject } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StdioUpstream } from "../../config/upstream-config.ts";
import type { FactStore } from "./learned-facts.ts";
import { SingleTenantDetector } from "./single-tenant-detector.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const plain: StdioUpstream = { kind: "stdio", name: "up", command: "x", args: ["--token=secret"], env: {} };

function createFacts() {
  const kept = new Map<string, JsonObject>();
  const facts: FactStore = {
    load: (key) => kept.get(key),
    save: (key, value) => void kept.set(key, value),
  };
  return { kept, facts };
}

function create(facts?: FactStore, config: StdioUpstream = plain) {
  const onEvent = vi.fn();
  const crowding = new SingleTenantDetector({ config, facts, onEvent });
  /** A second session begins beside a first one. */
  const begin = (id: string) => {
    crowding.begins(id, 1);
    crowding.opened(id);
  };
  return { crowding, onEvent, begin };
}

describe("a server is known to bear one connection", () => {
  it("after the first connection has ended twice when a second one began", () => {
    const { crowding, onEvent, begin } = create();
    begin("b");
    crowding.ended("a", 1);
    expect(crowding.isKnown).toBe(false);
    begin("c");
    crowding.ended("b", 1);
    expect(crowding.isKnown).toBe(true);
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it("after a second process has ended at its start twice beside the first one", () => {
    const { crowding } = create();
    for (const id of ["b", "c"]) {
      crowding.begins(id, 1);
      crowding.ended(id, 1);
    }
    expect(crowding.isKnown).toBe(true);
  });

  it("not after one beginning that ended two connections", () => {
    const { crowding, begin } = create();
    begin("c");
    crowding.ended("a", 1);
    crowding.ended("b", 1);
    expect(crowding.isKnown).toBe(false);
  });

  it("not after connections that ended long after another began, or alone", () => {
    const { crowding, begin } = create();
    for (const id of ["b", "c", "d"]) {
      begin(id);
      vi.advanceTimersByTime(2_001);
      crowding.ended("a", 1);
      crowding.begins("e", 0);
      crowding.ended("e", 0);
    }
    expect(crowding.isKnown).toBe(false);
  });

  it("not after two openings that failed together, which is only a reason to open one after the other", () => {
    const { crowding } = create();
    for (const id of ["b", "c", "d"]) {
      crowding.begins("a", 0);
      crowding.begins(id, 0, 1);
      expect([crowding.ended("a", 0), crowding.ended(id, 0)]).toEqual([true, true]);
    }
    expect([crowding.isSuspected, crowding.isKnown]).toEqual([true, false]);
  });

  it("not if it has borne two connections in between", () => {
    const { crowding, begin } = create();
    begin("b");
    crowding.ended("a", 1);
    begin("c");
    vi.advanceTimersByTime(2_001);
    crowding.begins("d", 2);
    expect(crowding.isSuspected).toBe(false);
    crowding.ended("c", 2);
    expect(crowding.isKnown).toBe(false);
  });
});

describe("what was learned of a server", () => {
  function learn(facts: FactStore): void {
    const { crowding, begin } = create(facts);
    for (const id of ["b", "c"]) {
      begin(id);
      crowding.ended("a", 1);
    }
  }

  it("is known after a restart, without its command line in the store", async () => {
    const { kept, facts } = createFacts();
    learn(facts);
    const { crowding } = create(facts);
    await crowding.recall();
    expect(crowding.isKnown).toBe(true);
    expect(JSON.stringify([...kept])).not.toContain("secret");
  });

  it("is not believed of another command, after 30 days, or against the operator", async () => {
    const { facts } = createFacts();
    learn(facts);
    const isKnown = async (config: StdioUpstream) => {
      const { crowding } = create(facts, config);
      await crowding.recall();
      return crowding.isKnown;
    };
    expect(await isKnown({ ...plain, args: ["--token=other"] })).toBe(false);
    expect(await isKnown({ ...plain, sharing: "session" })).toBe(false);
    expect(await isKnown({ ...plain, name: "renamed" })).toBe(true);
    vi.advanceTimersByTime(30 * 24 * 3_600_000 + 1);
    expect(await isKnown(plain)).toBe(false);
  });

  it("is nothing if the store fails", async () => {
    const facts: FactStore = {
      load: () => Promise.reject(new Error("disk")),
      save: () => Promise.reject(new Error("disk")),
    };
    learn(facts);
    const { crowding } = create(facts);
    await crowding.recall();
    expect(crowding.isKnown).toBe(false);
  });
});
