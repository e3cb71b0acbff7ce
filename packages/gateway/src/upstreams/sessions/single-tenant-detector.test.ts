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

describe("detecting a server that accepts a single connection", () => {
  it("detects a single-connection server after the first connection ended twice when a second one began", () => {
    const { crowding, onEvent, begin } = create();
    begin("b");
    crowding.ended("a", 1);
    expect(crowding.isKnown).toBe(false);
    begin("c");
    crowding.ended("b", 1);
    expect(crowding.isKnown).toBe(true);
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it("detects a single-connection server after a second process ended twice at its start beside the first", () => {
    const { crowding } = create();
    for (const id of ["b", "c"]) {
      crowding.begins(id, 1);
      crowding.ended(id, 1);
    }
    expect(crowding.isKnown).toBe(true);
  });

  it("does not count one opening that ended two connections as two observations", () => {
    const { crowding, begin } = create();
    begin("c");
    crowding.ended("a", 1);
    crowding.ended("b", 1);
    expect(crowding.isKnown).toBe(false);
  });

  it("ignores connections that ended long after another began, or alone", () => {
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

  it("ignores connections that end by themselves at a server that has kept several open while others began all the time", () => {
    const { crowding } = create();
    for (let second = 0; second < 10; second += 1) {
      crowding.begins(`${second}`, 20);
      crowding.opened(`${second}`);
      vi.advanceTimersByTime(1_000);
      if (second > 2) expect(crowding.ended("x", 20)).toBe(false);
    }
    expect([crowding.isKnown, crowding.isSuspected]).toEqual([false, false]);
  });

  it("detects a single-connection server after a time with several connections", () => {
    const { crowding, begin } = create();
    crowding.begins("b", 3);
    vi.advanceTimersByTime(2_001);
    crowding.begins("c", 3);
    crowding.ended("a", 1);
    begin("d");
    crowding.ended("c", 1);
    expect(crowding.isKnown).toBe(true);
  });

  it("opens connections one after the other, without a verdict, after two openings that failed together", () => {
    const { crowding } = create();
    for (const id of ["b", "c", "d"]) {
      crowding.begins("a", 0);
      crowding.begins(id, 0, 1);
      expect([crowding.ended("a", 0), crowding.ended(id, 0)]).toEqual([true, true]);
    }
    expect([crowding.isSuspected, crowding.isKnown]).toEqual([true, false]);
  });

  it("resets its observations if the server accepted two connections in between", () => {
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

describe("stored facts about a single-connection server", () => {
  function learn(facts: FactStore): void {
    const { crowding, begin } = create(facts);
    for (const id of ["b", "c"]) {
      begin(id);
      crowding.ended("a", 1);
    }
  }

  it("recalls a single-connection server after a restart without storing its command line", async () => {
    const { kept, facts } = createFacts();
    learn(facts);
    const { crowding } = create(facts);
    await crowding.recall();
    expect(crowding.isKnown).toBe(true);
    expect(JSON.stringify([...kept])).not.toContain("secret");
  });

  it("ignores a stored fact of another command, after 30 days, or against the configuration", async () => {
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

  it("recalls nothing if the store fails", async () => {
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
