import { beforeEach, describe, expect, it, vi } from "vitest";
import { CircuitBreaker } from "./circuit-breaker.ts";

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(Math, "random").mockReturnValue(1);
});
const createGate = () => new CircuitBreaker({ firstMs: 100, maxMs: 1_000, maxFailures: 3 }, () => now);
/** Each as soon as it is tried again. */
function fail(gate: CircuitBreaker, times: number): void {
  for (let time = 0; time < times; time += 1) {
    now += gate.delayMs;
    gate.failed();
  }
}

describe("the circuit breaker of an upstream", () => {
  it("doubles the back-off with each failure and resets it after a success", () => {
    const gate = createGate();
    expect(gate.failed()).toBe(100);
    now = 100;
    expect(gate.failed()).toBe(200);
    now = 250;
    expect(gate.delayMs).toBe(50);
    gate.succeeded();
    expect([gate.delayMs, gate.failures]).toEqual([0, 0]);
  });

  it("counts simultaneous failures once", () => {
    const gate = createGate();
    fail(gate, 1);
    now += 10;
    expect([gate.failed(), gate.failed(), gate.failures]).toEqual([90, 90, 1]);
  });

  it("admits all requests while only some fail", () => {
    const gate = createGate();
    fail(gate, 2);
    expect([gate.isOpen, gate.admit(), gate.admit()]).toEqual([false, 0, 0]);
  });

  it("opens the circuit after several failures in a row and admits one request per back-off", () => {
    const gate = createGate();
    fail(gate, 3);
    expect([gate.isOpen, gate.admit()]).toEqual([true, 400]);
    now += 400;
    expect([gate.admit(), gate.admit()]).toEqual([0, 400]);
    expect([gate.failed(), gate.failed(), gate.failures]).toEqual([800, 800, 4]);
    now += 800;
    expect(gate.admit()).toBe(0);
    gate.succeeded();
    expect([gate.isOpen, gate.admit()]).toEqual([false, 0]);
  });

  it("closes the circuit when the upstream has started and opens it with the next failure", () => {
    const gate = createGate();
    fail(gate, 5);
    gate.started();
    expect([gate.isOpen, gate.delayMs]).toEqual([false, 0]);
    gate.failed();
    expect(gate.isOpen).toBe(true);
  });
});
