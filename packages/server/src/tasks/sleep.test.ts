// Handlers that sleep: in a task without a process, by the clock of the store, and in other calls for a short time.
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Context } from "../features/context.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { Server, ServerOptions } from "../index.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";
import type { TasksOptions } from "./task-settings.ts";
import type { TaskStore } from "./task-store.ts";
import { createJumpClock, type JumpClock } from "./testing/jump-clock.ts";
import { mortal } from "./testing/mortal-store.ts";
import { createTaskClient, type TaskClient } from "./testing/task-client.ts";
import { wrapStore } from "./testing/wrap-store.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const text = (value: string) => ({ status: "completed", result: { content: [{ text: value }] } });
const yes = { action: "accept", content: { ok: true } };
const form = z.object({ ok: z.boolean() });
const clients: TaskClient[] = [];

const clocks: JumpClock[] = [];

afterEach(async () => {
  let isClosed = false;
  const closed = Promise.all(clients.splice(0).map(({ server }) => server.close())).then(() => {
    isClosed = true;
  });
  // A process whose store is gone waits for a moment.
  for (; !isClosed; await new Promise((resolve) => setImmediate(resolve))) for (const clock of clocks) clock.jump(1);
  await closed;
  clocks.length = 0;
});

interface Setup {
  readonly clock: JumpClock;
  readonly store: TaskStore;
}

function setUp(): Setup {
  const clock = createJumpClock();
  clocks.push(clock);
  return { clock, store: wrapStore(createMemoryTaskStore({ clock }), { isDurable: true }) };
}

/** One process on the store, with one tool. */
function processOn(
  { clock, store }: Setup,
  run: (ctx: Context) => unknown,
  { mode = "always", tasks, ...options }: { mode?: TaskPolicy["mode"]; tasks?: TasksOptions } & ServerOptions = {},
): TaskClient {
  const define = (server: Server) => server.tool("work", { task: mode, handler: (_, ctx) => run(ctx) as string });
  const client = createTaskClient(define, { ...options, clock, tasks: { closeGraceMs: 0, ...tasks, store } });
  clients.push(client);
  return client;
}

async function untilAsleep({ store }: Setup, sleepers = 1): Promise<void> {
  await vi.waitFor(async () => {
    const { running, waiting, live } = await store.counts();
    expect({ running, waiting, live }).toEqual({ running: 0, waiting: 0, live: sleepers });
  });
}

/** Moves the clock by a second at a time, in which the workers look for tasks once, until the task has ended. */
async function ended({ clock }: Setup, client: TaskClient, taskId: string) {
  await vi.waitFor(async () => {
    clock.jump(second);
    expect((await client.get(taskId)).status).not.toBe("working");
  });
  return client.get(taskId);
}

describe("a task that sleeps", () => {
  it("holds no worker, continues when the sleep is over and not before, and repeats no step", async () => {
    const setup = setUp();
    const effects: string[] = [];
    const client = processOn(setup, async (ctx) => {
      await ctx.once("before", () => void effects.push("before"));
      await ctx.sleep("2 days");
      await ctx.once("after", () => void effects.push("after"));
      return "rested";
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    setup.clock.jump(2 * day - 5 * second);
    await new Promise((resolve) => setImmediate(resolve));
    await untilAsleep(setup);
    expect(effects).toEqual(["before"]);
    expect(await ended(setup, client, taskId)).toMatchObject(text("rested"));
    expect(effects).toEqual(["before", "after"]);
  });

  it("keeps the rest of its time to live, which is shorter than the sleep", async () => {
    const setup = setUp();
    const client = processOn(setup, (ctx) => ctx.sleep("30 days").then(() => "rested"), { tasks: { ttlMs: hour } });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    expect((await client.get(taskId)).ttlMs).toBe(30 * day + hour);
    setup.clock.jump(30 * day);
    await setup.store.sweep();
    expect(await ended(setup, client, taskId)).toMatchObject(text("rested"));
  });

  it("is continued by another process after its own has ended", async () => {
    const setup = setUp();
    const work = (ctx: Context) => ctx.sleep("90m").then(() => "rested");
    const first = processOn(setup, work);
    const taskId = await first.start("work");
    await untilAsleep(setup);
    await first.server.close();
    setup.clock.jump(90 * 60 * second);
    const other = processOn(setup, work);
    expect(await ended(setup, other, taskId)).toMatchObject(text("rested"));
  });

  it.each([1, 2, 3, 4, 5, 6])(
    "sleeps its time and repeats no step if its process dies with write %i",
    async (atWrite) => {
      const setup = setUp();
      const effects: string[] = [];
      const work = async (ctx: Context) => {
        const at = await ctx.once("begin", () => setup.clock.now());
        await ctx.sleep("1 hour");
        const slept = await ctx.once("first", () => effects.push("first") && setup.clock.now() - at);
        await ctx.sleep("1 hour");
        effects.push(slept >= hour && setup.clock.now() - at >= 2 * hour ? "in time" : "early");
        return "rested";
      };
      // No silence of half a lease: after one, no task is taken from a lost worker for a while.
      const tasks = { leaseMs: hour, ttlMs: day };
      const first = processOn({ ...setup, store: mortal(setup.store, { atWrite }) }, work, { tasks });
      const taskId = await first.start("work");
      const other = processOn(setup, work, { tasks });
      const isCompleted = async () => {
        setup.clock.jump(10 * 60 * second);
        expect((await other.get(taskId)).status).toBe("completed");
      };
      await vi.waitFor(isCompleted, { interval: 5, timeout: 20_000 });
      expect(effects).toEqual(["first", "in time"]);
    },
  );

  it("leaves its place to another task", async () => {
    const setup = setUp();
    let isFirst = true;
    const run = async (ctx: Context) => {
      const sleeps = await ctx.once("sleeps", () => {
        const [now] = [isFirst];
        isFirst = false;
        return now;
      });
      if (sleeps) await ctx.sleep("1 day");
      return "done";
    };
    const client = processOn(setup, run, { tasks: { concurrency: 1 } });
    await client.start("work");
    await untilAsleep(setup);
    expect(await ended(setup, client, await client.start("work"))).toMatchObject(text("done"));
    await untilAsleep(setup);
  });

  it("can be cancelled, and never runs again", async () => {
    const setup = setUp();
    let runs = 0;
    const client = processOn(setup, (ctx) => {
      runs += 1;
      return ctx.sleep("1 day");
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    await client.cancel(taskId);
    expect(await client.get(taskId)).toMatchObject({ status: "cancelled" });
    for (let count = 0; count < 3; count += 1) {
      setup.clock.jump(day);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(runs).toBe(1);
  });

  it("wakes for the first of several sleeps, and its handler sees which are over", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const late = ctx.sleep("2 days").then(() => "late");
      const first = await Promise.race([late, ctx.sleep("1 hour").then(() => "early")]);
      return `${first}, ${await late}`;
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    setup.clock.jump(hour);
    await vi.waitFor(async () => expect((await setup.store.read(taskId))?.rounds?.journal.round).toBe(2));
    await untilAsleep(setup);
    const { sleeps } = (await setup.store.read(taskId))?.rounds ?? {};
    expect(Object.keys(sleeps ?? {})).toEqual(["1"]);
    setup.clock.jump(2 * day - hour);
    expect(await ended(setup, client, taskId)).toMatchObject(text("early, late"));
  });

  it("passes its time while an input request waits", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      await Promise.all([ctx.elicit("Go on?", form, { key: "ok" }), ctx.sleep("1 hour")]);
      return "both";
    });
    const taskId = await client.start("work");
    await vi.waitFor(async () => expect(await client.get(taskId)).toMatchObject({ status: "input_required" }));
    setup.clock.jump(hour);
    await client.update(taskId, { ok: yes });
    expect(await ended(setup, client, taskId)).toMatchObject({ ...text("both"), ttlMs: 2 * hour });
  });

  it("does not wake early because it was answered", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      await Promise.all([ctx.elicit("Go on?", form, { key: "ok" }), ctx.sleep("1 hour")]);
      return "both";
    });
    const taskId = await client.start("work");
    await vi.waitFor(async () => expect(await client.get(taskId)).toMatchObject({ status: "input_required" }));
    setup.clock.jump(hour / 2);
    await client.update(taskId, { ok: yes });
    await untilAsleep(setup);
    setup.clock.jump(hour / 2 - 5 * second);
    await new Promise((resolve) => setImmediate(resolve));
    await untilAsleep(setup);
    expect(await ended(setup, client, taskId)).toMatchObject({ ...text("both"), ttlMs: 2 * hour });
  });

  it("fails when it would sleep longer in total than the limit, with an error for its author", async () => {
    const setup = setUp();
    const errors: unknown[] = [];
    const work = async (ctx: Context) => {
      await ctx.sleep("20 h");
      await ctx.sleep("5 h");
    };
    const client = processOn(setup, work, { tasks: { maxSleepMs: day }, onError: (error) => errors.push(error) });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    setup.clock.jump(20 * hour);
    expect(await ended(setup, client, taskId)).toMatchObject({ status: "completed", result: { isError: true } });
    expect(String(errors[0])).toContain(
      "a task sleeps at most 86400000 ms in total (tasks.maxSleepMs); it slept 72000000 ms, and wants 18000000 ms more",
    );
  });

  it("stays in its process for a second or less", async () => {
    const setup = setUp();
    let runs = 0;
    const client = processOn(setup, async (ctx) => {
      runs += 1;
      await ctx.sleep("500 ms");
      return "rested";
    });
    const taskId = await client.start("work");
    expect(await ended(setup, client, taskId)).toMatchObject(text("rested"));
    expect(runs).toBe(1);
  });
});

describe("a call that sleeps", () => {
  it("becomes a task first, if it can", async () => {
    const setup = setUp();
    const client = processOn(setup, (ctx) => ctx.sleep("2 days").then(() => "rested"), { mode: "auto" });
    const started = client.start("work");
    await vi.waitFor(() => {
      setup.clock.jump(20);
      return Promise.race([started, Promise.reject(new Error("not yet"))]);
    });
    await untilAsleep(setup);
    setup.clock.jump(2 * day);
    expect(await ended(setup, client, await started)).toMatchObject(text("rested"));
  });

  it("gets the error of the store if it cannot become a task", async () => {
    const setup = setUp();
    const client = processOn(setup, (ctx) => ctx.sleep("2 days"), { mode: "auto", tasks: { maxTasks: 0 } });
    const refused = expect(client.call("work")).rejects.toMatchObject({ data: { retryAfterMs: expect.any(Number) } });
    for (let count = 0; count < 20; count += 1) {
      setup.clock.jump(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await refused;
  });

  it("waits in its process for up to the limit of a call that is no task", async () => {
    const setup = setUp();
    let runs = 0;
    const work = async (ctx: Context) => {
      runs += 1;
      await ctx.sleep("10 s");
      return "rested";
    };
    const client = processOn(setup, work, { mode: "never" });
    let result: unknown;
    void client.call("work").then((returned) => {
      result = returned;
    });
    await vi.waitFor(() => {
      setup.clock.jump(second);
      expect(result).toMatchObject({ content: [{ text: "rested" }] });
    });
    expect(runs).toBe(1);
  });

  it("is refused a longer sleep, with an error that says what to do", async () => {
    const setup = setUp();
    const errors: unknown[] = [];
    const work = (ctx: Context) => ctx.sleep("11 s");
    const client = processOn(setup, work, { mode: "never", onError: (error) => errors.push(error) });
    expect(await client.call("work")).toMatchObject({ isError: true });
    expect(String(errors[0])).toContain(
      "a call that is no task sleeps at most 10000 ms (interaction.maxSleepMs), got 11000 ms. Define the tool with task:",
    );
  });

  it("rejects a value that is not a duration", async () => {
    const errors: unknown[] = [];
    const work = (ctx: Context) => ctx.sleep("a while" as "1 s");
    const client = processOn(setUp(), work, { mode: "never", onError: (error) => errors.push(error) });
    await client.call("work");
    expect(String(errors[0])).toBe(
      'TypeError: a duration of 0 ms or more expected, such as 500, "30 s", "90m" or "2 days", got "a while"',
    );
  });
});
