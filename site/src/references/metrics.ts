// The reference of the gateway's metrics, from the registry that serves them.
import { Registry } from "prom-client";
import { createMetrics } from "../../../packages/gateway/src/operate/observe/metrics.ts";
import { toTable } from "./table.ts";

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly type: string;
}

export function metricsReference(): string {
  const registry = new Registry();
  createMetrics(registry);
  const metrics = registry.getMetricsAsArray() as unknown as Metric[];
  const own = metrics.filter(({ name }) => name.startsWith("lethe_"));
  const process = metrics.filter(({ name }) => !name.startsWith("lethe_"));
  return `# Metrics

The gateway serves these metrics at \`/metrics\` in the text format of Prometheus. Generated from the registry of the gateway.
[Monitoring](/gateway/monitoring) explains outcomes, reasons and access.

## Metrics of the gateway

${toRows(own)}

## Metrics of the process

${toRows(process)}
`;
}

function toRows(metrics: readonly Metric[]): string {
  const rows = metrics.map((metric) => [
    `\`${metric.name}\``,
    metric.type,
    (metric.labelNames ?? []).map((label) => `\`${label}\``).join(", "),
    metric.help,
  ]);
  return toTable(["name", "type", "labels", "meaning"], rows);
}
