// SECURITY.md lists every limit with the default of the source.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Limit, limitsIn, limitsInDocument, limitsInSource, quantity } from "./documented-limits.ts";

const text = readFileSync(new URL("../SECURITY.md", import.meta.url), "utf8");

/** Intervals of retries and checks, and wait times for refused peers. They limit nothing. */
const paces =
  /^(?:\w*[rR]etryAfterMs|(?:first|longest|shortest|usual|min|max|sweep|recheck)(?:Pause|Delay|Retry|Retries|Poll)\w*|pauseMs|delayMs|restMs|restMs|pollMs|checkMs|lingerMs|newLingerMs|longTurnMs|drainMs|discardMs|cleanUpMs|askMs|retryMs|recheckMs|stableMs|streamAfterMs|pollAfterMs|pollIntervalMs|retryEveryMs|sweepEveryMs|longestSweepMs|loopSampleMs|lockPollMs|staleLockMs|probeAgainMs|connectionWarningMs|waitedMs|refreshMs|stepMs|shownMs)$/;

/** Sizes in cryptography, sizes of growing buffers, units, and values that start at 0. */
const sizes =
  /^(?:iv|tag|key|fingerprint|wrapper|least|kept|acknowledge|journal|place)Bytes$|^(?:dayMs|maxWholeBytes|sleptMs|maxRetriesPerRequest|defaultTtlMs)$/;

/** Minimum values of settings, `ttlMs` of responses that are not cached, and similar numbers. */
const others: readonly string[] = [
  "packages/gateway/src/config/watch-files.ts settleMs",
  "packages/gateway/src/catalog/read-catalog.ts ttlMs",
  "packages/gateway/src/edge/routing/skill-methods.ts ttlMs",
  "packages/gateway/src/operate/observe/exchange-ring.ts limit",
  "packages/gateway/src/upstreams/connection/end-orphaned-processes.ts patienceMs",
  "packages/client/src/cache/with-cache.ts ttlMs",
  "packages/console/src/app/health/limits-section.tsx limit",
  "packages/client/src/node/http-send.ts keepAliveMs",
  "packages/protocol/src/revisions/2025-11-25/result.ts ttlMs",
  "packages/protocol/src/revisions/handshake/initialize.ts ttlMs",
  "packages/server/src/features/resource.ts ttlMs",
  "packages/server/src/legacy/methods/session-settings.ts maxConfirmationMs",
  "packages/server/src/node/file-task-tables.ts limit",
  "packages/server/src/tasks/task-worker.ts limit",
  "packages/gateway/src/operate/join-workers.ts leaseAgeMs",
  "packages/server/src/node/workers/frames.ts headBytes",
  "packages/server/src/node/workers/worker-group.ts graceMs",
  "packages/server/src/node/workers/worker-group.ts ranForMs",
  "packages/server/src/node/workers/worker-process.ts graceMs",
];

function isLimit({ file, name }: Limit): boolean {
  return !paces.test(name) && !sizes.test(name) && !others.includes(file) && !others.includes(`${file} ${name}`);
}

function toLine({ file, name, value }: Limit): string {
  return `${file} ${name} = ${value}`;
}

it("SECURITY.md lists every limit of the source with its default, and no other", () => {
  const documented = limitsInDocument(text).map(toLine);
  expect(documented.length).toBeGreaterThan(150);
  // On a mismatch: correct or add the row in the section "Limits" of SECURITY.md.
  expect(documented.toSorted()).toEqual(limitsInSource().filter(isLimit).map(toLine).toSorted());
});

it("every listed exception is a number in the source", () => {
  const lines = new Set(limitsInSource().flatMap(({ file, name }) => [file, `${file} ${name}`]));
  expect(others.filter((line) => !lines.has(line))).toEqual([]);
});

it("limits are found in every form of declaration", () => {
  const source = `
const maxRemembered = 1_000;
const defaultMaxBytes: number = 4 * 1024 * 1024;
const { max = 5, idleMs = 15 * 60_000 } = options;
return { maxRounds: options.maxRounds ?? 10, ttlMs: 600_000 };
const limits = { maxStates: 100_000, count: 7 } as const;`;
  expect(limitsIn(source, "a.ts").map(({ name, value }) => [name, value])).toEqual([
    ["maxRemembered", 1_000],
    ["defaultMaxBytes", 4_194_304],
    ["max", 5],
    ["idleMs", 900_000],
    ["maxRounds", 10],
    ["ttlMs", 600_000],
    ["maxStates", 100_000],
  ]);
});

it("rows are read with their units", () => {
  expect(limitsInDocument("| all results | [`maxBytes`](packages/a/src/b.ts), `seal.maxBytes` | 2 MiB |\n")).toEqual([
    { file: "packages/a/src/b.ts", name: "maxBytes", value: 2_097_152 },
  ]);
  expect(["1,000", "250 ms", "30 s", "10 min", "1 h", "30 d", "2,560 bytes", "64 KiB"].map(quantity)).toEqual([
    1_000, 250, 30_000, 600_000, 3_600_000, 2_592_000_000, 2_560, 65_536,
  ]);
  expect(quantity("a few")).toBeNaN();
});
