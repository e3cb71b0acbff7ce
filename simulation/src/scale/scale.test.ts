// The program that counts what a large deployment costs runs, and its counts grow as docs/scaling.md says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Measured } from "./run-deployment.ts";

const program = fileURLToPath(new URL("../../run.mjs", import.meta.url));

type Count = { readonly count: number };
/** As JSON. */
type Deployment = Omit<Measured, "idle"> & {
  readonly idle: { readonly ms: number; readonly byPurpose: Record<string, Count> };
};

async function measure(...args: readonly string[]): Promise<readonly Deployment[]> {
  const child = spawn(process.execPath, [program, "--scale", ...args, "--json", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  return (JSON.parse(output) as { deployments: readonly Deployment[] }).deployments;
}

it("counts commands that grow with the replicas, keys that grow with the sessions, and no commands for calls that reach the owner", {
  timeout: 120_000,
}, async () => {
  const [three, six, more] = await measure("--replicas", "3,6", "--sessions", "300,600", "--calls", "600");
  if (!three || !six || !more) throw new Error("three deployments expected");
  for (const { deployment, idle, stored, calls, lostRedis, lostReplica } of [three, six, more]) {
    const perReplica = (purpose: string) => {
      return (idle.byPurpose[purpose]?.count ?? 0) / deployment.replicas / (idle.ms / 1_000);
    };
    expect(perReplica("heartbeat")).toBeCloseTo(4, 0);
    expect(perReplica("list")).toBeCloseTo(1, 0);
    expect(stored.sessions.keys).toBe(deployment.sessions);
    expect(calls.affinity).toMatchObject({ forwarded: 0, failed: 0 });
    expect(calls.firstAtReplica.forwarded).toBeCloseTo(600 * (1 - 1 / deployment.replicas), -1);
    expect(calls.firstAtReplica.perForwarded).toMatchObject({ lookups: 1, messages: 2 });
    expect(calls.repeated.perForwarded).toMatchObject({ lookups: 0, messages: 2 });
    expect(lostRedis).toMatchObject({ lostSessions: 0 });
    expect(lostReplica).toMatchObject({ failedCalls: 0, otherLosses: 0 });
  }
});
