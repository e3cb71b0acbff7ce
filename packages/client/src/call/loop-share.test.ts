import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { LoopShare } from "./loop-share.ts";

it("short work needs no pause", () => {
  let time = 100;
  const share = new LoopShare(() => time);
  for (let count = 0; count < 100; count++) {
    const startedAt = time;
    time += 1;
    share.spend(startedAt);
    expect(share.restMs).toBe(0);
    time += 1;
  }
});

it("a turn ends after 5 ms of work", () => {
  let time = 100;
  const share = new LoopShare(() => time);
  time += 5;
  expect(share.isTurnOver(100)).toBe(false);
  time += 1;
  expect(share.isTurnOver(100)).toBe(true);
  share.spend(100);
  expect(share.restMs).toBe(6);
});

it("after long work a peer pauses as long as the work took", () => {
  let time = 100;
  const share = new LoopShare(() => time);
  time += 40;
  share.spend(100);
  expect(share.restMs).toBe(40);
  time += 40;
  expect(share.restMs).toBe(0);
});

it("a peer that pauses when required never gets more than half of the time", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(10)), { maxLength: 50 }), (works) => {
      let time = 0;
      let busy = 0;
      const share = new LoopShare(() => time);
      for (const [tookMs, idleMs] of works) {
        time += share.restMs + idleMs;
        const startedAt = time;
        time += tookMs;
        busy += tookMs;
        share.spend(startedAt);
      }
      const burst = 30 + 5;
      expect(busy).toBeLessThanOrEqual((time + burst) / 2 + burst);
    }),
  );
});

it("if two readers wait for one share, the second waits again after the first has used it up", async () => {
  vi.useFakeTimers();
  try {
    const share = new LoopShare(() => Date.now());
    const startedAt = Date.now();
    vi.setSystemTime(startedAt + 20);
    share.spend(startedAt);
    const woken: string[] = [];
    const first = share.rest().then(() => {
      woken.push("first");
      const begun = Date.now();
      vi.setSystemTime(begun + 20);
      share.spend(begun);
    });
    const second = share.rest().then(() => woken.push("second"));
    await vi.advanceTimersByTimeAsync(20);
    expect(woken).toEqual(["first"]);
    await vi.advanceTimersByTimeAsync(20);
    expect(woken).toEqual(["first", "second"]);
    await Promise.all([first, second]);
  } finally {
    vi.useRealTimers();
  }
});
