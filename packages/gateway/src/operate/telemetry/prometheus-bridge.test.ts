import { resourceFromAttributes } from "@opentelemetry/resources";
import { DataPointType } from "@opentelemetry/sdk-metrics";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createPrometheusBridge, type PrometheusMetric } from "./prometheus-bridge.ts";

const resource = resourceFromAttributes({});

async function bridged(registry: Registry) {
  const read = async () => (await registry.getMetricsAsJSON()) as PrometheusMetric[];
  const { resourceMetrics } = await createPrometheusBridge(resource, read).collect();
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
}

test("counters, gauges and histograms keep their names, labels and values", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ registers, name: "calls_total", help: "Calls", labelNames: ["tool"] }).inc({ tool: "a" }, 3);
  new Gauge({ registers, name: "held_bytes", help: "Held" }).set(7);
  const histogram = new Histogram({
    registers,
    name: "took_seconds",
    help: "Took",
    labelNames: ["m"],
    buckets: [1, 2],
  });
  for (const seconds of [0.5, 1.5, 1.6, 9]) histogram.observe({ m: "x" }, seconds);
  histogram.observe({ m: "y" }, 2);
  const [calls, held, took] = await bridged(registry);
  expect(calls).toMatchObject({
    descriptor: { name: "calls_total", description: "Calls", unit: "" },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ attributes: { tool: "a" }, value: 3 }],
  });
  expect(held).toMatchObject({
    descriptor: { unit: "By" },
    dataPointType: DataPointType.GAUGE,
    dataPoints: [{ attributes: {}, value: 7 }],
  });
  expect(took).toMatchObject({
    descriptor: { unit: "s" },
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [
      { attributes: { m: "x" }, value: { buckets: { boundaries: [1, 2], counts: [1, 2, 1] }, sum: 12.6, count: 4 } },
      { attributes: { m: "y" }, value: { buckets: { boundaries: [1, 2], counts: [0, 1, 0] }, sum: 2, count: 1 } },
    ],
  });
});

test("nothing is exported before the gateway runs", async () => {
  const { resourceMetrics, errors } = await createPrometheusBridge(resource, async () => undefined).collect();
  expect([resourceMetrics.scopeMetrics, errors]).toEqual([[], []]);
});
