// The traffic of a gateway over time, by upstream and by caller.
import { describe, expect, it } from "vitest";
import { toRecent } from "./duration-counts.ts";
import { TimeSeries } from "./time-series.ts";
import { createTraffic } from "./traffic.ts";

const base = { time: new Date(0), endpoint: "/mcp", method: "tools/call", outcome: "complete", ms: 4 };

describe("a time series", () => {
  it("counts requests and errors in steps of ten seconds, and forgets them after ten minutes", () => {
    const series = new TimeSeries();
    series.add(4, false, 1_000_000);
    series.add(4, true, 1_000_000);
    series.add(4, false, 1_010_000);
    const inClass = [0, 0, 0, 0, 0];
    expect(series.pack(3, 1_020_000)).toEqual([
      [2, 2, 1, ...inClass, 2],
      [1, 1, 0, ...inClass, 1],
    ]);
    expect(series.recent(1_040_000)).toMatchObject({ requests: 3, errors: 1 });
    expect(series.recent(1_060_000)).toMatchObject({ requests: 1 });
    series.add(4, false, 1_000_000 + 600_000);
    expect(series.pack(60, 1_600_000).map(([age, requests]) => [age, requests])).toEqual([
      [59, 1],
      [0, 1],
    ]);
    expect(series.pack(60, 9_000_000)).toEqual([]);
  });

  it("estimates percentiles of the durations, which are null without a request", () => {
    const series = new TimeSeries();
    expect(toRecent(series.recent(0))).toEqual({ requests: 0, errors: 0, p50: null, p95: null });
    for (let ms = 1; ms <= 100; ms += 1) series.add(ms, false, 0);
    const { p50, p95 } = toRecent(series.recent(0));
    expect([p50, p95].map((value) => Math.round((value ?? 0) / 10))).toEqual([5, 10]);
  });
});

describe("the traffic of a gateway", () => {
  it("names who sent requests where, counts the callers beyond the limit together, and leaves subscriptions out", () => {
    let now = 0;
    const traffic = createTraffic(() => now);
    for (let index = 0; index < 150; index += 1) {
      traffic.observe({ ...base, upstream: "a", caller: `caller ${index}` });
    }
    traffic.observe({ ...base, upstream: "a", caller: "caller 0", outcome: "error" });
    traffic.observe({ ...base, method: "subscriptions/listen", upstream: "a", caller: "caller 0" });
    const { flows } = traffic.flows();
    expect(flows).toHaveLength(101);
    expect(flows[0]).toEqual({ caller: "caller 0", upstream: "a", requests: 2, errors: 1 });
    expect(flows.at(-1)).toMatchObject({ caller: "*", requests: 50 });
    expect(traffic.total).toEqual({ requests: 151, errors: 1 });
    now = 70_000;
    expect(traffic.flows().flows).toHaveLength(101);
    now = 200_000;
    expect(traffic.flows().flows).toEqual([]);
  });

  it("counts rejected requests as errors, and errors of tools as answers", () => {
    const traffic = createTraffic(() => 0);
    for (const outcome of ["complete", "tool_error", "rejected", "error"]) traffic.observe({ ...base, outcome });
    expect(traffic.total).toEqual({ requests: 4, errors: 2 });
    expect(traffic.recent()).toMatchObject({ requests: 4, errors: 2 });
  });

  it("forgets removed upstreams", () => {
    const traffic = createTraffic(() => 0);
    for (const upstream of ["a", "b"]) traffic.observe({ ...base, upstream });
    traffic.keep(new Set(["b"]));
    expect([...traffic.upstreams]).toEqual(["b"]);
    expect(traffic.step(0).upstreams).toMatchObject({ b: { requests: 1 } });
  });
});
