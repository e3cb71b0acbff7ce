// Alerts and dashboards in deploy/ only use metrics and labels that the gateway has.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { knownReasons } from "../../edge/failure-reason.ts";
import { emptyGatewayView } from "../../testing/empty-view.ts";
import { createMetrics } from "./metrics.ts";
import { rejectionReasons } from "./rejections.ts";

const folder = new URL("../../../../../deploy/helm/lethe/files/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

const alerts = [...read("alerts.yml").matchAll(/alert: (\w+)\s+expr: (.*?)\n\s+(?:for|labels):/gs)].map(
  ([, name = "", expression = ""]) => [name, expression] as const,
);
const panels = (JSON.parse(read("dashboard.json")) as Dashboard).panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

const view = emptyGatewayView;

/** Metric names, and those that a histogram adds. `up` is of Prometheus. */
async function namesInMetrics(): Promise<Set<string>> {
  const text = await createMetrics().text(view);
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set(["up", ...names]);
}

const namesIn = (expression: string): string[] => expression.match(/\b(?:lethe|process|nodejs)_\w+|\bup\b/g) ?? [];

const page = readFileSync(new URL("../../../../../docs/observability.md", import.meta.url), "utf8");

describe("docs/observability.md", () => {
  it("describes every metric of the gateway and no other", async () => {
    const text = await createMetrics().text(view);
    const own = [...text.matchAll(/^# TYPE (lethe_\S+) /gm)].map(([, name = ""]) => name);
    const [, table = ""] = /## Metrics([\s\S]*?)### Reasons/.exec(page) ?? [];
    const described = [...table.matchAll(/`(lethe_\w+)`/g)].map(([, name = ""]) => name);
    expect([...new Set(described)].sort()).toEqual(own.sort());
  });

  it("describes every reason of the gateway and every alert", () => {
    const [, reasons = ""] = /### Reasons([\s\S]*?)## Logs/.exec(page) ?? [];
    const described = new Set([...reasons.matchAll(/`([a-z_]+)`/g)].map(([, word = ""]) => word));
    const known = [...knownReasons, ...rejectionReasons.values()];
    expect(known.filter((reason) => !described.has(reason))).toEqual([]);
    expect(alerts.filter(([name]) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("metrics in deploy/", () => {
  it.each([...alerts, ...panels])("%s uses metrics that the gateway has", async (_title, expression) => {
    const names = namesIn(expression);
    expect(names.length).toBeGreaterThan(0);
    const known = await namesInMetrics();
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("alerts and panels cover requests, servers, rejections, memory and replicas", () => {
    const used = new Set([...alerts, ...panels].flatMap(([, expression]) => namesIn(expression)));
    for (const name of ["lethe_requests_total", "lethe_upstream_up", "lethe_http_rejected_total", "lethe_shared_up"])
      expect(used).toContain(name);
  });
});
