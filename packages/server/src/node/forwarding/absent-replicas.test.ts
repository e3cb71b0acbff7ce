import { beforeEach, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../testing/manual-clock.ts";
import { AbsentReplicas } from "./absent-replicas.ts";

let clock: ManualClock;
let absent: AbsentReplicas;
const ask = (count: number) => Array.from({ length: count }, () => !absent.mustWait("b"));

beforeEach(() => {
  clock = createManualClock();
  absent = new AbsentReplicas(clock, 100);
});

it("while a replica is absent, one of all requests for its sessions asks about it every 100 ms", async () => {
  absent.add("b");
  expect(ask(3)).toEqual([false, false, false]);
  for (let count = 0; count < 5; count += 1) {
    await clock.advance(100);
    expect(ask(3)).toEqual([true, false, false]);
    absent.add("b");
  }
});

it("no request waits for another replica", () => {
  absent.add("b");
  expect(absent.mustWait("c")).toBe(false);
});

it("no request waits once the replica is known to be back or to have lost its sessions", () => {
  absent.add("b");
  absent.delete("b");
  expect(ask(2)).toEqual([true, true]);
  absent.add("b");
  absent.clear();
  expect(ask(2)).toEqual([true, true]);
});

it("no request waits when the one that asked has not found the replica absent again", async () => {
  absent.add("b");
  await clock.advance(100);
  expect(ask(2)).toEqual([true, false]);
  await clock.advance(100);
  expect(ask(3)).toEqual([true, true, true]);
});

it("every request asks when more than a thousand replicas would be absent", () => {
  for (let count = 0; count <= 1_000; count += 1) absent.add(`replica ${count}`);
  expect(absent.mustWait("replica 0")).toBe(false);
  expect(absent.mustWait("replica 1000")).toBe(true);
});
