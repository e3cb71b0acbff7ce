// Which finished requests administrators see.
import { expect, it } from "vitest";
import type { RequestRecord } from "../edge/request-record.ts";
import { ActiveConfig } from "./active-config.ts";
import { createLog } from "./observe/log.ts";
import { RequestMonitor } from "./request-monitor.ts";

const record: RequestRecord = { time: new Date(0), endpoint: "/mcp", method: "tools/list", ms: 1, outcome: "complete" };

it.each(["error", "rejected", "tool_error"])("keeps a request outside the sample that ended with %s", (outcome) => {
  const active = new ActiveConfig({ config: { upstreams: [] }, secrets: [], files: [], notes: [] } as never);
  const monitor = new RequestMonitor(
    active,
    createLog(() => {}, active.redactor),
    { logsRequests: false },
  );
  monitor.finished({ ...record }, undefined);
  monitor.finished({ ...record, outcome }, undefined);
  expect(monitor.exchanges.list().map((kept) => [kept.record.outcome, kept.steps])).toEqual([[outcome, undefined]]);
  expect(monitor.exchanges.leftOut).toBe(1);
  expect(monitor.traffic.total.requests).toBe(2);
});
