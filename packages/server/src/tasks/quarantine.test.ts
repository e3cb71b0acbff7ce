// A task that brings down its processes fails, and its neighbours do not. How many tasks run at a time, and in which order.
import { afterEach, expect, it, vi } from "vitest";
import { z } from "zod";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { Server } from "../server.ts";
import type { TasksOptions } from "./task-settings.ts";
import type { TaskStore } from "./task-store.ts";
import { createTaskClient, type TaskClient } from "./testing/task-client.ts";
import { createSharedStore, wrapStore } from "./testing/wrap-store.ts";

const clients: TaskClient[] = [];
const never = new Promise<never>(() => {});

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ server }) => server.close()));
});

function processOn(store: TaskStore, define: (server: Server) => void, tasks: TasksOptions = {}): TaskClient {
  const client = createTaskClient(define, { tasks: { store, leaseMs: 60, closeGraceMs: 0, ...tasks } });
  clients.push(client);
  return client;
}

/** The store as a process sees it that ends when `dies` is called: nothing happens there any more. */
function mortal(store: TaskStore): { store: TaskStore; die(): void; isDead(): boolean } {
  let isDead = false;
  const unlessDead =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> =>
      isDead ? never : act(...args).then((result) => (isDead ? never : result));
  const whole = wrapStore(store, {});
  return {
    store: wrapStore(store, {
      create: unlessDead(whole.create),
      read: unlessDead(whole.read),
      update: unlessDead(whole.update),
      append: unlessDead(whole.append),
      acquire: unlessDead(whole.acquire),
      renew: unlessDead(whole.renew),
      retire: unlessDead(whole.retire),
    }),
    die() {
      isDead = true;
    },
    isDead: () => isDead,
  };
}

it("a task that ends each process that runs it fails with a typed error, and none of its 19 neighbours does", async () => {
  const store = createSharedStore();
  let processes = 0;
  /** Starts processes until one lives on, as a supervisor does. */
  function begin(): TaskClient {
    processes += 1;
    const life = mortal(store);
    const define = (server: Server) => {
      server.tool("work", {
        task: "always",
        inputSchema: z.object({ poison: z.boolean().optional() }),
        async handler(args, ctx) {
          for (let step = 0; step < 3; step++) {
            await ctx.once(`step ${step}`, async () => {
              await new Promise((resolve) => setTimeout(resolve, 5));
              if (life.isDead()) await never;
              if (!args.poison || step === 0) return;
              life.die();
              begin();
              await never;
            });
          }
          return "done";
        },
      });
    };
    return processOn(life.store, define, { maxDeaths: 2 });
  }
  const first = begin();
  const taskIds = await Promise.all(
    Array.from({ length: 20 }, (_, index) => first.start("work", index === 7 ? { poison: true } : {})),
  );
  const read = () => Promise.all(taskIds.map((taskId) => store.read(taskId)));
  await vi.waitFor(async () => expect((await read()).filter((task) => task?.status === "working")).toEqual([]), 25_000);
  for (const [index, task] of (await read()).entries()) {
    if (index === 7) {
      expect(task).toMatchObject({ status: "failed", error: { data: { reason: "worker_deaths" } }, deaths: 2 });
    } else expect(task).toMatchObject({ status: "completed", deaths: 0 });
  }
  // Two losses of all, then two by the suspect alone.
  expect(processes).toBeLessThanOrEqual(6);
});

const gated = (policy: Partial<TaskPolicy> = {}) => {
  const running = new Set<string>();
  const order: string[] = [];
  const ends: (() => void)[] = [];
  let most = 0;
  const define = (server: Server) => {
    for (const [name, priority] of [
      ["low", 0],
      ["high", 5],
    ] as const) {
      server.tool(name, {
        task: { mode: "always", priority, ...policy },
        inputSchema: z.object({ id: z.string().optional() }),
        async handler(args) {
          order.push(args.id ?? name);
          running.add(args.id ?? name);
          most = Math.max(most, running.size);
          await new Promise<void>((resolve) => ends.push(resolve));
          running.delete(args.id ?? name);
          return "done";
        },
      });
    }
  };
  return { define, order, running, endOne: () => ends.shift()?.(), most: () => most };
};

it("runs at most `concurrency` tasks at a time; the others wait in the store by priority", async () => {
  const store = createSharedStore();
  const { define, order, running, endOne, most } = gated();
  const client = processOn(store, define, { concurrency: 2, leaseMs: 5_000 });
  const ids = [];
  for (const [name, id] of [
    ["low", "a"],
    ["low", "b"],
    ["low", "c"],
    ["low", "d"],
    ["high", "e"],
  ] as const) {
    ids.push(await client.start(name, { id }));
    // The order of waiting tasks is that of milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  expect(await store.counts()).toMatchObject({ running: 2, waiting: 3 });
  for (let ended = 1; ended <= 5; ended++) {
    endOne();
    await vi.waitFor(() =>
      expect([running.size, order.length]).toEqual([Math.min(5 - ended, 2), Math.min(ended + 2, 5)]),
    );
  }
  for (const taskId of ids) expect(await client.rest(taskId)).toMatchObject({ status: "completed" });
  expect(order).toEqual(["a", "b", "e", "c", "d"]);
  expect(most()).toBe(2);
});

it("a process runs only tasks of the queues that it serves, and creates tasks for the others", async () => {
  const store = createSharedStore();
  const slow = { queue: "slow" };
  const front = gated(slow);
  const back = gated(slow);
  const client = processOn(store, front.define, { queues: ["default"], leaseMs: 5_000 });
  const taskId = await client.start("low");
  expect(await client.get(taskId)).toMatchObject({ status: "working" });
  expect(await store.counts()).toMatchObject({ running: 0, waiting: 1 });
  processOn(store, back.define, { queues: ["slow"], leaseMs: 5_000 });
  await vi.waitFor(() => expect(back.order).toEqual(["low"]), 5_000);
  back.endOne();
  await vi.waitFor(async () => expect(await client.get(taskId)).toMatchObject({ status: "completed" }), 5_000);
  expect(front.order).toEqual([]);
});
