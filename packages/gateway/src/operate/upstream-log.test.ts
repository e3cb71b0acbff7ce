import { expect, it } from "vitest";
import { createFakeSessions } from "../testing/fakes.ts";
import { createLog, type LogEntry } from "./observe/log.ts";
import { createRedactor } from "./observe/redact.ts";
import { UpstreamLog } from "./upstream-log.ts";

it("logs a verdict and its warnings once, and again when the upstream was removed in between", async () => {
  const { sessions } = createFakeSessions();
  await sessions.start();
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry), createRedactor([]));
  const upstreamLog = new UpstreamLog({ log, active: { hasAuth: false } });
  upstreamLog.follow({ upstreams: [sessions] });
  const logged = () => entries.splice(0).map(({ event }) => event);
  upstreamLog.logVerdicts();
  expect(logged()).toEqual(["upstream.verdict", "upstream.stateful"]);
  upstreamLog.keep(new Set(["up"]));
  upstreamLog.logVerdicts();
  expect(logged()).toEqual([]);
  upstreamLog.keep(new Set());
  upstreamLog.logVerdicts();
  expect(logged()).toEqual(["upstream.verdict", "upstream.stateful"]);
  await sessions.close();
});

it("remembers why an upstream failed until it is ready again", () => {
  const log = createLog(() => {}, createRedactor([]));
  const upstreamLog = new UpstreamLog({ log, active: { hasAuth: false } });
  upstreamLog.logEvent({ kind: "failed", upstream: "up", reason: "exit 1", restartInMs: 5 });
  expect(upstreamLog.failureOf("up")).toBe("exit 1");
  upstreamLog.logEvent({ kind: "ready", upstream: "up", sharing: "shared", because: "it said so" });
  expect(upstreamLog.failureOf("up")).toBeUndefined();
});
