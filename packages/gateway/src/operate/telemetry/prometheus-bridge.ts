// The Prometheus metrics of the gateway as OpenTelemetry metrics with the same names, read when they are exported.
import type { HrTime } from "@opentelemetry/api";
import { hrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValueWithName } from "prom-client";

export type PrometheusMetric = MetricObjectWithValues<MetricValueWithName<string>>;

/** `read` returns undefined until the gateway runs. */
export function createPrometheusBridge(
  resource: Resource,
  read: () => Promise<readonly PrometheusMetric[] | undefined>,
): MetricProducer {
  const startTime = hrTime(performance.now() - process.uptime() * 1_000);
  return {
    async collect() {
      const metrics = ((await read()) ?? []).flatMap((metric) => toMetricData(metric, startTime, hrTime()));
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: "lethe/gateway" }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

/** The metrics of the gateway have no summaries. */
function toMetricData(metric: PrometheusMetric, startTime: HrTime, endTime: HrTime): MetricData[] {
  const { name, help, values } = metric;
  const times = { startTime, endTime };
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: 1 },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  // The type is text, although prom-client declares numbers.
  switch (String(metric.type)) {
    case "counter":
      return [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
    case "gauge":
      return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
    case "histogram":
      return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(metric, times) }];
    default:
      return [];
  }
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "By" : "";
}

interface Series {
  readonly attributes: Record<string, string | number>;
  readonly buckets: { readonly bound: number; readonly count: number }[];
  sum: number;
  count: number;
}

/** Prometheus counts values up to each bound, OpenTelemetry between bounds. */
function toHistograms(
  { name, values }: PrometheusMetric,
  times: { startTime: HrTime; endTime: HrTime },
): DataPoint<Histogram>[] {
  const found = new Map<string, Series>();
  for (const { labels, value, metricName } of values) {
    const { le, ...attributes } = labels as Record<string, string | number>;
    const key = JSON.stringify(attributes);
    const series = found.get(key) ?? { attributes, buckets: [], sum: 0, count: 0 };
    found.set(key, series);
    if (metricName === `${name}_sum`) series.sum = value;
    else if (metricName === `${name}_count`) series.count = value;
    else series.buckets.push({ bound: Number(String(le).replace("+Inf", "Infinity")), count: value });
  }
  return [...found.values()].map(({ attributes, buckets, sum, count }) => {
    const sorted = buckets.sort((one, other) => one.bound - other.bound);
    const counts = sorted.map((bucket, index) => bucket.count - (sorted[index - 1]?.count ?? 0));
    const boundaries = sorted.map(({ bound }) => bound).filter(Number.isFinite);
    return { ...times, attributes, value: { buckets: { boundaries, counts }, sum, count } };
  });
}
