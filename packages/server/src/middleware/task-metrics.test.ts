// The metrics of tasks, through the real @opentelemetry/api with a provider that records all calls.
import * as api from "@opentelemetry/api";
import { afterEach, expect, it, vi } from "vitest";
import type { Server } from "../server.ts";
import { createTaskClient, type TaskClient } from "../tasks/testing/task-client.ts";
import { createSharedStore } from "../tasks/testing/wrap-store.ts";
import { taskMetrics } from "./task-metrics.ts";

const clients: TaskClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ server }) => server.close()));
});

function createMeter() {
  const measured: [name: string, value: number, attributes: unknown][] = [];
  const instrument = (name: string) => {
    const take = (value: number, attributes: unknown) =>
      void measured.push([name.split(".").pop() ?? "", value, attributes]);
    return { add: take, record: take };
  };
  const create = { createHistogram: instrument, createUpDownCounter: instrument, createCounter: instrument };
  const recording = { ...api, metrics: { getMeter: () => ({ ...create, createGauge: instrument }) } };
  return { measured, meter: taskMetrics({ api: recording }) };
}

it("records running, waiting and failed tasks, and the age of the oldest that waits", async () => {
  const { measured, meter } = createMeter();
  const store = createSharedStore();
  let end: (() => void) | undefined;
  const client = createTaskClient(
    (server: Server) => {
      server.tool("work", {
        task: "always",
        handler: () => new Promise<string>((resolve) => (end = () => resolve("done"))),
      });
      server.tool("broken", {
        task: "always",
        handler: () => ({ content: [], structuredContent: 1n as unknown as object }),
      });
    },
    { tasks: { store, meter, concurrency: 1, leaseMs: 300 } },
  );
  clients.push(client);
  const first = await client.start("work");
  const second = await client.start("broken");
  await vi.waitFor(() => expect(measured.map(([name]) => name)).toContain("waiting"), 5_000);
  expect(measured).toContainEqual(["running", 1, {}]);
  expect(measured).toContainEqual(["waiting", expect.any(Number), {}]);
  expect(measured).toContainEqual(["oldest_waiting", expect.any(Number), {}]);
  await vi.waitFor(() => expect(end).toBeDefined());
  end?.();
  expect(await client.rest(first)).toMatchObject({ status: "completed" });
  expect(await client.rest(second)).toMatchObject({ status: "failed" });
  await vi.waitFor(() => expect(measured).toContainEqual(["failed", 1, { reason: "error" }]));
  await vi.waitFor(() => {
    const running = measured.filter(([name]) => name === "running");
    expect(running.reduce((sum, [, step]) => sum + step, 0)).toBe(0);
  });
});

it("counts a task that continues after its process was lost", async () => {
  const { measured, meter } = createMeter();
  const store = createSharedStore();
  const rounds = { journal: { v: 1 as const, mark: "m", round: 0, asked: [] }, answers: {}, usedKeys: [], failures: 0 };
  const task = {
    taskId: "t",
    owner: undefined,
    tool: "work",
    lane: "default/work",
    priority: 0,
    status: "working",
  } as const;
  const limits = { maxTasks: 9, maxTasksPerCaller: 9, maxEnded: 9, maxEndedPerCaller: 9 };
  const work = { params: { name: "work" }, caller: undefined, seed: "s" };
  await store.create(
    { ...task, ttlMs: 60_000, pollIntervalMs: 5, rounds },
    { work, entries: [], worker: "lost", leaseMs: 1, limits },
  );
  const client = createTaskClient((server) => server.tool("work", { task: "always", handler: () => "done" }), {
    tasks: { store, meter, leaseMs: 60 },
  });
  clients.push(client);
  await vi.waitFor(() => expect(measured).toContainEqual(["failed_over", 1, {}]), 5_000);
  expect(await client.rest("t")).toMatchObject({
    status: "failed",
    statusMessage: "the tool has changed since the task began",
  });
});
