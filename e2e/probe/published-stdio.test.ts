// Probes published stdio servers: eras, requests to the client, and no processes left.
import { probe } from "lethe/probe";
import { expect, it } from "vitest";
import { stdioServers } from "../servers/published.ts";
import { descendantsOf } from "./left-over.ts";

/** Taken from the stdout of each server after server/discover, initialize, tools/list, and after tools/list as the first line. */
const groundTruth = {
  everything: { word: "STATEFUL", modern: false, revision: "2025-11-25", asks: [], cold: true },
  everything2025: { word: "STATEFUL", modern: false, revision: "2024-11-05", asks: [], cold: true },
  filesystem: { word: "STATEFUL", modern: false, revision: "2025-11-25", asks: ["roots/list"], cold: true },
  memory: { word: "STATEFUL", modern: false, revision: "2025-11-25", asks: [], cold: true },
  thinking: { word: "STATEFUL", modern: false, revision: "2025-11-25", asks: [], cold: true },
  context7: { word: "STATELESS", modern: true, revision: "2025-11-25", asks: [], cold: true },
  playwright: { word: "STATEFUL", modern: false, revision: "2025-11-25", asks: [], cold: true },
} satisfies Record<keyof typeof stdioServers, unknown>;

it.each(Object.entries(groundTruth))("%s gets the expected verdict", async (name, truth) => {
  const report = await probe(stdioServers[name as keyof typeof stdioServers], {
    ...{ restart: true, timeoutMs: 15_000, startTimeoutMs: 30_000 },
  });
  const { modern, legacy } = report.eras;
  expect({
    word: report.word,
    modern: modern.isSpoken,
    revision: legacy.revisions[0],
    asks: report.serverRequests,
    cold: report.instances.find(({ era }) => era === "legacy")?.isAnyInstance,
  }).toEqual(truth);
  expect([report.transport, legacy.contract]).toEqual(["stdio", "process"]);
  // Only the ps process of this check.
  expect(descendantsOf(process.pid).length).toBeLessThanOrEqual(1);
});
