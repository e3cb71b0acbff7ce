import type { Round, SingleUseStore } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { PostgresConnection } from "../connection/postgres-connection.ts";
import type { Run } from "../connection/postgres-link.ts";
import { keys, usePostgres } from "../testing/own-postgres.ts";
import { createPostgresSingleUseStore, type PostgresSingleUseOptions } from "./postgres-single-use-store.ts";
import { claimRound, releaseRound } from "./single-use-statements.ts";

const { connect } = usePostgres();
const readAll = { name: "test_rounds", text: "SELECT * FROM lethe.rounds WHERE prefix = $1" };

async function openIn(
  postgres: Pick<PostgresConnection, "prefix" | "run">,
  options: PostgresSingleUseOptions = {},
): Promise<SingleUseStore> {
  return createPostgresSingleUseStore(postgres, { keys, ...options });
}

function round(more: Partial<Round> = {}): Round {
  return { id: "a", callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes", ...more };
}

test("one of several processes claims a state, and the others get its answer (E-28)", async () => {
  const stores = await Promise.all([1, 2, 3].map(async () => openIn(await connect())));
  const claims = await Promise.all(stores.map((store) => store.claim(round())));
  expect(claims.map(({ status }) => status).toSorted()).toEqual(["claimed", "running", "running"]);
  const winner = stores[claims.findIndex(({ status }) => status === "claimed")];
  await winner?.settle(round(), "answer");
  for (const store of stores) {
    expect(await store.claim(round())).toEqual({ status: "answered", answer: "answer" });
    expect(await store.claim(round({ inputs: "no" }))).toEqual({ status: "used" });
  }
});

test("a state stays used after its answer was forgotten, until its token expires", async () => {
  const postgres = await connect();
  const store = await openIn(postgres, { keepAnswersMs: 1 });
  await store.claim(round());
  await store.settle(round(), "answer");
  await expect.poll(() => store.claim(round())).toEqual({ status: "used" });
  const [row] = await postgres.run<{ expires_at: number }>(readAll, [postgres.prefix]);
  const ttlMs = (row?.expires_at ?? 0) - Date.now();
  expect(ttlMs).toBeGreaterThan(60_000);
  expect(ttlMs).toBeLessThanOrEqual(121_000);
});

test("a round of a process that ended counts as lost after its lease, and does not run again", async () => {
  const [dead, other] = [await openIn(await connect(), { leaseMs: 1 }), await openIn(await connect())];
  await dead.claim(round());
  await expect.poll(() => other.claim(round())).toEqual({ status: "lost" });
});

test("limits the states of each caller, and of all callers without authentication together", async () => {
  const store = await openIn(await connect(), { maxStates: 1, maxStatesPerCaller: 2 });
  for (const id of ["a", "b"]) expect(await store.claim(round({ id }))).toEqual({ status: "claimed" });
  expect(await store.claim(round({ id: "c" }))).toEqual({ status: "full", isCaller: true });
  expect(await store.claim(round({ id: "c", callerId: "bob" }))).toEqual({ status: "claimed" });
  expect(await store.claim(round({ id: "d", callerId: undefined }))).toEqual({ status: "claimed" });
  expect(await store.claim(round({ id: "e", callerId: undefined }))).toEqual({ status: "full", isCaller: false });
});

test("expired states of a caller make room for new ones", async () => {
  const postgres = await connect();
  const store = await openIn(postgres, { maxStatesPerCaller: 1 });
  await store.claim(round());
  const expire = { name: "test_expire", text: "UPDATE lethe.rounds SET expires_at = 1 WHERE prefix = $1" };
  await postgres.run(expire, [postgres.prefix]);
  expect(await store.claim(round({ id: "b" }))).toEqual({ status: "claimed" });
});

test("stores answers, inputs and caller names only encrypted or hashed", async () => {
  const postgres = await connect();
  const store = await openIn(postgres);
  await store.claim(round({ callerId: "ann@example.com", inputs: "the inputs" }));
  await store.settle(round({ callerId: "ann@example.com" }), "the answer");
  const rows = await postgres.run<{ answer: string }>(readAll, [postgres.prefix]);
  expect(rows.map(({ answer }) => answer.length > 20)).toEqual([true]);
  for (const secret of ["ann@example.com", "the inputs", "the answer"])
    expect(JSON.stringify(rows)).not.toContain(secret);
});

test("a round whose claim was not confirmed, or whose release failed, can be claimed again", async () => {
  const postgres = await connect();
  const failing = new Set([claimRound.name]);
  // PostgreSQL runs a claim, and its answer is lost. It does not run a release.
  const run: Run = async (statement, values) => {
    const isLost = failing.delete(statement.name);
    if (isLost && statement === releaseRound) throw new Error("away");
    const rows = await postgres.run(statement, values);
    if (isLost) throw new Error("away");
    return rows as never;
  };
  const store = await openIn({ prefix: postgres.prefix, run });
  await expect(store.claim(round())).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 1_000 } });
  expect(await store.claim(round())).toEqual({ status: "claimed" });
  failing.add(releaseRound.name);
  await store.release(round());
  expect(await store.claim(round())).toEqual({ status: "claimed" });
});

test("a claim that is repeated before the answer to the first one has arrived finds the round running", async () => {
  const postgres = await connect();
  let deliver = (): void => {};
  const delivered = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  let hasBegun = false;
  const run: Run = async (statement, values) => {
    const isFirst = statement === claimRound && !hasBegun;
    hasBegun ||= isFirst;
    const rows = await postgres.run(statement, values);
    if (isFirst) await delivered;
    return rows as never;
  };
  const store = await openIn({ prefix: postgres.prefix, run });
  const first = store.claim(round());
  await vi.waitFor(async () => expect(await postgres.run(readAll, [postgres.prefix])).toHaveLength(1), 10_000);
  expect(await store.claim(round())).toEqual({ status: "running" });
  deliver();
  expect(await first).toEqual({ status: "claimed" });
});
