import { expect, test } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import { CutOffDetector } from "./cut-off-detector.ts";
import type { PeersView } from "./members.ts";

function start() {
  const clock = createManualClock();
  const state = { hasRedis: true, peers: "unknown" as PeersView };
  const evidence = {
    get hasRedis() {
      return state.hasRedis;
    },
    view: () => state.peers,
  };
  return { clock, state, detector: new CutOffDetector({ clock, evidence }) };
}

test("a replica is cut off once it lacked for a while the Redis that others reach", async () => {
  const { clock, state, detector } = start();
  await clock.advance(10_000);
  expect(detector.isCutOff).toBe(false);
  Object.assign(state, { hasRedis: false, peers: "reached" });
  await clock.advance(750);
  expect(detector.isCutOff).toBe(false);
  await clock.advance(750);
  expect(detector.isCutOff).toBe(true);
  state.hasRedis = true;
  await clock.advance(2_500);
  expect(detector.isCutOff).toBe(true);
  await clock.advance(1_000);
  expect(detector.isCutOff).toBe(false);
});

test.each(["alone", "unreached", "unknown"] as const)(
  "a replica without Redis is not cut off when the others say: %s",
  async (peers) => {
    const { clock, state, detector } = start();
    Object.assign(state, { hasRedis: false, peers });
    await clock.advance(60_000);
    expect(detector.isCutOff).toBe(false);
  },
);

test("a connection that comes and goes changes nothing", async () => {
  const { clock, state, detector } = start();
  state.peers = "reached";
  for (let round = 0; round < 20; round += 1) {
    state.hasRedis = !state.hasRedis;
    await clock.advance(700);
    expect(detector.isCutOff).toBe(false);
  }
});
