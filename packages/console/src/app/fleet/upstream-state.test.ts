// What the pages say of the state of an upstream that several replicas have.
import { expect, it } from "vitest";
import type { StateAtReplicas } from "../admin/admin-api.ts";
import { isConfiguredAt, isFailedInPart, toStateSummary } from "./upstream-state.ts";

const failed: StateAtReplicas = { state: "failed", reason: "it ended", replicas: ["7c2b88d9"] };
const ready: StateAtReplicas = { state: "ready", replicas: ["a1b2c3d4", "e5f6a7b8"] };
const absent: StateAtReplicas = { state: "absent", replicas: ["7c2b88d9"] };

it("says the word alone where all replicas agree", () => {
  expect(toStateSummary({ state: "ready" })).toEqual({ tone: "ok", label: "ready", exceptions: [] });
});

it("names the replicas where an upstream failed, and counts those where it is ready", () => {
  const upstream = { state: "failed", states: [failed, ready] } as const;
  expect(toStateSummary(upstream)).toEqual({
    ...{ tone: "warn", label: "ready at 2 of 3" },
    exceptions: [{ label: "failed at 7c2b88d9", reason: "it ended", isFailure: true }],
  });
  expect(isFailedInPart(upstream)).toBe(true);
});

it("names each reason where it failed everywhere, which is no failure in part", () => {
  const upstream = {
    state: "failed",
    states: [failed, { ...failed, reason: "refused", replicas: ["a1b2c3d4"] }],
  } as const;
  expect(toStateSummary(upstream)).toMatchObject({
    ...{ tone: "bad", label: "failed" },
    exceptions: [{ label: "failed at 7c2b88d9" }, { label: "failed at a1b2c3d4", reason: "refused" }],
  });
  expect(isFailedInPart(upstream)).toBe(false);
});

it("says where an upstream is not configured", () => {
  expect(toStateSummary({ state: "ready", states: [absent, ready] })).toMatchObject({
    ...{ tone: "warn", label: "ready at 2 of 3" },
    exceptions: [{ label: "not configured at 7c2b88d9" }],
  });
});

it("names the replicas that have an upstream where most do not", () => {
  const states: StateAtReplicas[] = [
    { ...absent, replicas: ["a1b2c3d4", "e5f6a7b8"] },
    { ...ready, replicas: ["7c2b88d9"] },
  ];
  const summary = toStateSummary({ state: "ready", states });
  expect(summary).toMatchObject({
    ...{ tone: "warn", label: "ready at 1 of 3" },
    exceptions: [{ label: "configured only at 7c2b88d9", isFailure: false }],
  });
  expect(["7c2b88d9", "a1b2c3d4"].map((replica) => isConfiguredAt(replica, { states }))).toEqual([true, false]);
  expect(isConfiguredAt("7c2b88d9", {})).toBe(true);
});

it("does not warn of an upstream that starts on demand and has started at some replicas", () => {
  const states: StateAtReplicas[] = [ready, { state: "idle", replicas: ["7c2b88d9"] }];
  expect(toStateSummary({ state: "ready", states })).toEqual({ tone: "ok", label: "ready at 2 of 3", exceptions: [] });
});
