// The metrics of several workers of one gateway as those of one. Each metric says how: counts are added, most states take the highest.
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValueWithName } from "prom-client";

type MetricValues = readonly MetricObjectWithValues<MetricValueWithName<string>>[];

/** In the text format of Prometheus, with the number of workers. */
export async function mergeMetrics(all: readonly MetricValues[], { workers }: { workers: number }): Promise<string> {
  const merged = AggregatorRegistry.aggregate(all.map((values) => [...values]));
  const count = new Gauge({
    registers: [merged],
    name: "lethe_workers",
    help: "Workers of this gateway that listen and whose metrics are included",
  });
  count.set(workers);
  return merged.metrics();
}
