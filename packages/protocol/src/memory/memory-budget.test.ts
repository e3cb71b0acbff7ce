import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { MemoryBudget, type MemoryHolding, memoryKinds } from "./memory-budget.ts";

describe("MemoryBudget", () => {
  it("MemoryBudget counts held bytes by kind until they are released", () => {
    const budget = new MemoryBudget(1_000);
    const [request, response] = [budget.hold("requests"), budget.hold("responses")];
    request.set(100);
    request.set(300);
    response.set(200);
    expect([budget.heldBytes, budget.heldByKind.requests, budget.heldByKind.responses]).toEqual([500, 300, 200]);
    request.release();
    request.release();
    expect([budget.heldBytes, request.bytes, request.isDropped]).toEqual([200, 0, false]);
  });

  it("MemoryBudget is tight above three quarters and rejects with 503 and a retry delay", () => {
    const budget = new MemoryBudget(1_000);
    const holding = budget.hold("requests");
    holding.set(750);
    expect([budget.isTight, budget.hasRoomFor(250), budget.hasRoomFor(251)]).toEqual([false, true, false]);
    holding.set(751);
    expect(budget.isTight).toBe(true);
    expect(budget.refuse()).toMatchObject({ code: -32603, data: { retryAfterMs: 1_000 } });
    expect(budget.refusedCount).toBe(1);
  });

  it("MemoryBudget has room for waiting calls up to half of the hard limit, so that they never make it tight", () => {
    const budget = new MemoryBudget(1_000);
    budget.hold("calls").set(400);
    expect([budget.hasRoomForCall(100), budget.hasRoomForCall(101), budget.hasRoomFor(600)]).toEqual([
      true,
      false,
      true,
    ]);
    budget.hold("requests").set(550);
    expect([budget.hasRoomForCall(50), budget.hasRoomForCall(51)]).toEqual([true, false]);
  });

  it("MemoryBudget drops the largest holdings above the hard limit until it is below the soft limit", () => {
    const budget = new MemoryBudget(1_000);
    const drops: number[] = [];
    const sizes = [10, 400, 90, 300];
    const holdings = sizes.map((size) => {
      const holding = budget.hold("responses", () => drops.push(size));
      holding.set(size);
      return holding;
    });
    expect(drops).toEqual([]);
    const last = budget.hold("requests", () => drops.push(201));
    expect(last.set(201)).toBe(true);
    expect(drops).toEqual([400]);
    expect(holdings.map(({ isDropped }) => isDropped)).toEqual([false, true, false, false]);
    expect([budget.heldBytes, budget.droppedCount]).toEqual([601, 1]);
  });

  it("MemoryBudget drops the largest server answers above two thirds of the hard limit, so that they never make it tight", () => {
    const budget = new MemoryBudget(1_000);
    const drops: number[] = [];
    const request = budget.hold("requests", () => drops.push(0));
    request.set(50);
    const answers = [150, 400, 120].map((size) => {
      const answer = budget.hold("answers", () => drops.push(size));
      answer.set(size);
      expect(budget.isTight).toBe(false);
      return answer;
    });
    expect(drops).toEqual([400]);
    expect(answers.map(({ isDropped }) => isDropped)).toEqual([false, true, false]);
    expect([budget.heldByKind.answers, request.isDropped]).toEqual([270, false]);
  });

  it("MemoryBudget reports a dropped holding to its owner and no longer counts it", () => {
    const budget = new MemoryBudget(1_000);
    const drop = vi.fn();
    const holding = budget.hold("requests", drop);
    expect(holding.set(1_001)).toBe(false);
    expect([drop.mock.calls.length, budget.heldBytes, holding.set(5), budget.heldBytes]).toEqual([1, 0, false, 0]);
  });

  it("MemoryBudget does not drop pinned holdings or holdings without drop", () => {
    const budget = new MemoryBudget(1_000);
    const drop = vi.fn();
    const pinned = budget.hold("requests", drop);
    pinned.set(900);
    pinned.pin();
    expect([budget.hold("logs").set(500), drop.mock.calls.length, budget.heldBytes]).toEqual([true, 0, 1_400]);
  });

  it("a drop callback may release other holdings", () => {
    const budget = new MemoryBudget(1_000);
    const other = budget.hold("responses", () => {});
    const holding = budget.hold("responses", () => other.release());
    other.set(300);
    expect(holding.set(900)).toBe(false);
    expect([budget.heldBytes, other.isDropped, budget.droppedCount]).toEqual([0, false, 1]);
  });

  it("MemoryBudget counts exactly the live holdings after any sequence of operations", () => {
    const step = fc.record({
      what: fc.constantFrom("hold", "set", "pin", "release"),
      which: fc.nat(20),
      bytes: fc.nat(400),
      kind: fc.constantFrom(...memoryKinds),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const budget = new MemoryBudget(1_000);
        const holdings: MemoryHolding[] = [];
        for (const { what, which, bytes, kind } of steps) {
          const holding = holdings[which];
          if (what === "hold") holdings.push(budget.hold(kind, which % 4 === 0 ? undefined : () => {}));
          else if (what === "set") holding?.set(bytes);
          else if (what === "pin") holding?.pin();
          else holding?.release();
        }
        const total = holdings.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(budget.heldBytes).toBe(total);
        expect(Object.values(budget.heldByKind).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
      }),
    );
  });

  it("MemoryBudget defaults to an eighth of the heap limit", async () => {
    const { getHeapStatistics } = await import("node:v8");
    expect(new MemoryBudget().hardBytes).toBe(Math.round(getHeapStatistics().heap_size_limit / 8));
  });
});
