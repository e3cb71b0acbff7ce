import fc from "fast-check";
import { AggregatorRegistry, Counter, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { createCounter, createHistogram } from "./labelled-metrics.ts";

const counted = { name: "calls_total", help: "Calls", labelNames: ["tool", "outcome", "reason"] };
const observed = { name: "call_seconds", help: "Durations", labelNames: ["tool"] };
const bounds = [0.001, 0.5, 1];

interface Event {
  readonly tool: string;
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly seconds: number;
}

const events = fc.array(
  fc.record({
    tool: fc.constantFrom("", "a", "__proto__", 'a\n"b"'),
    outcome: fc.constantFrom("complete", "error"),
    reason: fc.constantFrom(undefined, "", "lost"),
    seconds: fc.constantFrom(0, 0.001, 0.25, 1, 7),
  }),
);

function register(of: readonly Event[]): Registry {
  const registry = new Registry();
  const count = createCounter(registry, counted);
  const observe = createHistogram(registry, observed, bounds);
  for (const { tool, outcome, reason, seconds } of of) {
    count([tool, outcome, reason]);
    count([tool, outcome, reason], seconds);
    observe([tool], seconds);
  }
  return registry;
}

function registerInPromClient(of: readonly Event[]): Registry {
  const registry = new Registry();
  const counter = new Counter({ registers: [registry], ...counted });
  const histogram = new Histogram({ registers: [registry], ...observed, buckets: bounds });
  for (const { tool, outcome, reason, seconds } of of) {
    const labels = reason === undefined ? { tool, outcome } : { tool, outcome, reason };
    counter.inc(labels);
    counter.inc(labels, seconds);
    histogram.observe({ tool }, seconds);
  }
  return registry;
}

/** The metrics of two workers as those of one. */
async function mergedText(registry: Registry): Promise<string> {
  const metrics = [await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()];
  return AggregatorRegistry.aggregate(metrics).metrics();
}

it("counters and histograms have the text of those of prom-client, also when those of two workers are merged", async () => {
  await fc.assert(
    fc.asyncProperty(events, async (of) => {
      const [own, theirs] = [register(of), registerInPromClient(of)];
      expect(await own.metrics()).toBe(await theirs.metrics());
      expect(await mergedText(own)).toBe(await mergedText(theirs));
    }),
  );
});
