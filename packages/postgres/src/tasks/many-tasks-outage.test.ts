// The outage of outage.test.ts with more tasks.
import { expect, test, vi } from "vitest";
import { usePostgres } from "../testing/own-postgres.ts";
import { startTasks } from "../testing/running-tasks.ts";

const own = usePostgres();

test("a crash of PostgreSQL during 200 running tasks loses no task and starts no step twice", async () => {
  const { begun, completed } = await startTasks(own, { count: 200, steps: 4, stepMs: 1_000 });
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(250), 60_000);
  await own.server().crash();
  await own.server().start();
  await completed(120_000);
  expect(begun).toHaveLength(200 * 4);
  expect(new Set(begun).size).toBe(200 * 4);
}, 240_000);
