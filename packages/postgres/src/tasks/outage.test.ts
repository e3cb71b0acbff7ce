// Outages of PostgreSQL while tasks run: an outage is not the death of a server.
import { expect, test, vi } from "vitest";
import { usePostgres } from "../testing/own-postgres.ts";
import { startTasks } from "../testing/running-tasks.ts";

const own = usePostgres();

test("a crash of PostgreSQL during 30 running tasks loses no task and starts no step twice", async () => {
  const { begun, completed } = await startTasks(own, { count: 30, steps: 4, stepMs: 300 });
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(30), 20_000);
  await own.server().crash();
  await own.server().start();
  await completed(60_000);
  expect(begun).toHaveLength(30 * 4);
  expect(new Set(begun).size).toBe(30 * 4);
}, 90_000);
