import { expect, it } from "vitest";
import { createFakeSessions } from "../testing/fakes.ts";
import { createLog, type LogEntry } from "./observe/log.ts";
import { createRedactor } from "./observe/redact.ts";
import { createUpstreamLog } from "./upstream-log.ts";

it("what an upstream is, and what follows, is told once, and again of one that was taken out meanwhile", async () => {
  const { sessions } = createFakeSessions();
  await sessions.start();
  const entries: LogEntry[] = [];
  const redactor = createRedactor([]);
  const news = createUpstreamLog({
    log: createLog(
      (entry) => entries.push(entry),
      () => redactor,
    ),
    upstreams: () => [sessions],
    hasAuth: () => false,
  });
  const told = () => entries.splice(0).map(({ event }) => event);
  news.logVerdicts();
  expect(told()).toEqual(["upstream.verdict", "upstream.stateful"]);
  news.keep(["up"]);
  news.logVerdicts();
  expect(told()).toEqual([]);
  news.keep([]);
  news.logVerdicts();
  expect(told()).toEqual(["upstream.verdict", "upstream.stateful"]);
  await sessions.close();
});

it("why an upstream failed is known until it is up again", () => {
  const news = createUpstreamLog({
    log: createLog(
      () => {},
      () => createRedactor([]),
    ),
    upstreams: () => [],
    hasAuth: () => false,
  });
  news.tell({ kind: "failed", upstream: "up", reason: "exit 1", restartInMs: 5 });
  expect(news.failureOf("up")).toBe("exit 1");
  news.tell({ kind: "ready", upstream: "up", sharing: "shared", because: "it said so" });
  expect(news.failureOf("up")).toBeUndefined();
});
