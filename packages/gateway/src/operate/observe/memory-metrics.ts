// The metrics of the memory budget: bytes held for callers and upstreams, and what was refused or dropped.
import { type MemoryBudget, memoryKinds } from "@lethe/protocol";
import { Counter, Gauge, type Registry } from "prom-client";

export interface MemoryMetrics {
  /** Sets all metrics to the current values. */
  follow(): void;
}

export function createMemoryMetrics(registers: Registry[], memory: MemoryBudget): MemoryMetrics {
  const held = new Gauge({
    registers,
    name: "lethe_memory_held_bytes",
    help: "Bytes held for callers and upstreams, by what they are",
    labelNames: ["kind"],
  });
  const marks = new Gauge({
    registers,
    name: "lethe_memory_limit_bytes",
    help: "Above soft, new requests are refused; above hard, the largest holdings are dropped",
    labelNames: ["mark"],
  });
  const refused = new Counter({
    registers,
    name: "lethe_memory_refused_total",
    help: "Requests refused because the memory budget was exceeded",
  });
  const dropped = new Counter({
    registers,
    name: "lethe_memory_dropped_total",
    help: "Connections closed and answers of upstreams dropped because the memory budget was exceeded",
  });
  return {
    follow() {
      for (const kind of memoryKinds) held.set({ kind }, memory.heldByKind[kind]);
      marks.set({ mark: "soft" }, memory.softBytes);
      marks.set({ mark: "hard" }, memory.hardBytes);
      for (const [counter, count] of [
        [refused, memory.refusedCount] as const,
        [dropped, memory.droppedCount] as const,
      ]) {
        counter.reset();
        counter.inc(count);
      }
    },
  };
}
