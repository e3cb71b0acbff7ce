// How soon another replica of a gateway continues the sessions of one that was killed or stands still.
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";
import { callOnce } from "./steady-callers.ts";

const recorder = fileURLToPath(new URL("recorder.mjs", import.meta.url));
/** Sessions last this long without their replica, so that a takeover within it is due to an earlier detection. */
const leaseMs = 15_000;

let fleet: GatewayFleet;
let file: string;

async function start(redisSettings: object): Promise<void> {
  file = join(tmpdir(), `lethe-recorded-${crypto.randomUUID()}`);
  await writeFile(file, "");
  fleet = await startFleet({
    servers: { recorder: { command: process.execPath, args: [recorder, file] } },
    upstreams: { recorder: { sharing: "session", sessions: { waitMs: 60_000 } } },
    callers: ["ann"],
    redisSettings,
  });
}

const call = (index: number) => callOnce(`${fleet.replicas[index]?.url}`, "ann", "recorder__record", {});

afterEach(async () => {
  for (const { child } of fleet.replicas) child.kill("SIGCONT");
  await fleet.close();
  await rm(file);
});

/** Sends the signal to the owner of the session, and calls at another replica until a call succeeds. */
async function callAfter(signal: NodeJS.Signals) {
  expect(await call(0)).toMatchObject({ outcome: "ok" });
  expect(await call(1)).toMatchObject({ outcome: "ok" });
  const [owner, ...others] = fleet.replicas;
  const since = performance.now();
  owner?.child.kill(signal);
  const outcomes: string[] = [];
  for (let last = ""; last !== "ok"; ) {
    const outcome = await call(1);
    outcomes.push(outcome.outcome);
    last = outcome.outcome;
  }
  const tookMs = performance.now() - since;
  for (const { output } of others) {
    await vi.waitFor(() => expect(output.stderr).toContain("other replicas take over its sessions"), 30_000);
  }
  expect((await Promise.all([1, 2].map(call))).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  const runs = (await readFile(file, "utf8")).trim().split("\n");
  expect(new Set(runs).size).toBe(runs.length);
  return { outcomes, tookMs };
}

it("after its owner was killed, a session continues at another replica long before the lease expires", async () => {
  await start({ leaseMs });
  const { outcomes, tookMs } = await callAfter("SIGKILL");
  // The owner may have begun a call just before. One call says that the state of the session is gone.
  const others = outcomes.filter((outcome) => outcome !== "ok" && outcome !== "lost");
  expect(others).toEqual(["session_lost"]);
  expect(tookMs).toBeLessThan(leaseMs * 0.9);
}, 130_000);

it("while its owner stands still, a session continues at another replica", async () => {
  await start({});
  const { outcomes } = await callAfter("SIGSTOP");
  // The replica may have begun the first of them. One call says that the state of the session is gone.
  const others = outcomes.filter((outcome) => outcome !== "ok" && outcome !== "lost");
  expect(others).toEqual(["session_lost"]);
}, 130_000);
