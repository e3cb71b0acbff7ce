// What a replica reports about the others after PostgreSQL stood still for longer than a lease.
import { expect, it } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import type { ListedLease } from "./directory-statements.ts";
import { Membership } from "./membership.ts";
import { toTimings } from "./timings.ts";

const stillMs = 8_000;

async function setUp() {
  const clock = createManualClock();
  const changes: string[] = [];
  let isRunning = true;
  let held: Promise<void> = Promise.resolve();
  const rowOf = (): ListedLease => ({
    ...{ replica: "two", isRunning, hasLeft: false, lengthMs: 5_000 },
    remainingMs: isRunning ? 5_000 : -stillMs,
  });
  const run = async <R extends object>() => {
    await held;
    return [rowOf()] as unknown as readonly R[];
  };
  const membership = new Membership({
    ...{ postgres: { prefix: "", run }, clock, self: "one", timings: toTimings({}) },
    onChange: ({ kind, replica }) => void changes.push(`${kind} ${replica}`),
  });
  await membership.start();
  /** PostgreSQL stands still. The first statement after that finds the lease of the other replica expired. */
  async function standStill(): Promise<void> {
    let end = (): void => {};
    held = new Promise((resolve) => {
      end = resolve;
    });
    await clock.advance(stillMs);
    isRunning = false;
    end();
    await clock.advance(0);
  }
  const renew = (): void => {
    isRunning = true;
  };
  return { clock, membership, changes, standStill, renew };
}

it("a replica that renews its lease when PostgreSQL continues is not reported as lost", async () => {
  const { clock, membership, changes, standStill, renew } = await setUp();
  await standStill();
  expect([membership.alive, membership.isListed("two")]).toEqual([["two"], false]);
  renew();
  await clock.advance(10_000);
  expect([changes, membership.lost, membership.isListed("two")]).toEqual([[], 0, true]);
});

it("a replica that does not renew its lease when PostgreSQL continues is reported as lost by the next list", async () => {
  const { clock, membership, changes, standStill } = await setUp();
  await standStill();
  expect(changes).toEqual([]);
  await clock.advance(2_000);
  expect([changes, membership.lost, membership.alive]).toEqual([["lost two"], 1, []]);
});
