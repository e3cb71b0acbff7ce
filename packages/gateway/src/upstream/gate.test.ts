import { beforeEach, describe, expect, it, vi } from "vitest";
import { Gate } from "./gate.ts";

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(Math, "random").mockReturnValue(1);
});
const createGate = () => new Gate({ firstMs: 100, maxMs: 1_000, maxFailures: 3 }, () => now);

describe("a gate", () => {
  it("asks for ever longer waits, and forgets them with the first success", () => {
    const gate = createGate();
    expect([gate.failed(), gate.failed()]).toEqual([100, 200]);
    expect(gate.delayMs).toBe(200);
    now = 150;
    expect(gate.delayMs).toBe(50);
    gate.succeeded();
    expect([gate.delayMs, gate.failures]).toEqual([0, 0]);
  });

  it("lets everybody in while only some fail", () => {
    const gate = createGate();
    gate.failed();
    gate.failed();
    expect([gate.isOpen, gate.admit(), gate.admit()]).toEqual([false, 0, 0]);
  });

  it("opens the circuit after several failures in a row: then one is let in per back-off", () => {
    const gate = createGate();
    for (let times = 0; times < 3; times += 1) gate.failed();
    expect([gate.isOpen, gate.admit()]).toEqual([true, 400]);
    now = 400;
    expect(gate.admit()).toBe(0);
    expect(gate.admit()).toBeGreaterThan(0);
    now = 800;
    expect(gate.admit()).toBe(0);
    gate.succeeded();
    expect([gate.isOpen, gate.admit()]).toEqual([false, 0]);
  });

  it("closes the circuit when the upstream has started, and opens it with the next failure", () => {
    const gate = createGate();
    for (let times = 0; times < 5; times += 1) gate.failed();
    gate.started();
    expect([gate.isOpen, gate.delayMs]).toEqual([false, 0]);
    gate.failed();
    expect(gate.isOpen).toBe(true);
  });
});
