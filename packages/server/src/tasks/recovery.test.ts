// Tasks that outlive the process that ran them: taken up by another one, never run by two at a time.

import { incompatibleVersionOf } from "@lethe/protocol";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Context } from "../features/context.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { Server } from "../server.ts";
import type { TasksOptions } from "./task-settings.ts";
import { storeUnavailable, type TaskStore } from "./task-store.ts";
import { mortal } from "./testing/mortal-store.ts";
import { createTaskClient, type TaskClient } from "./testing/task-client.ts";
import { createSharedStore, wrapStore } from "./testing/wrap-store.ts";

const clients: TaskClient[] = [];
const never = new Promise<never>(() => {});

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ server }) => server.close()));
});

const lease = { leaseMs: 30, closeGraceMs: 0 };

function processOn(store: TaskStore, define: (server: Server) => void, tasks: TasksOptions = {}): TaskClient {
  const client = createTaskClient(define, { tasks: { store, ...lease, ...tasks } });
  clients.push(client);
  return client;
}

function tool(run: (ctx: Context) => unknown, policy: Partial<TaskPolicy> = {}): (server: Server) => void {
  return (server) =>
    server.tool("work", { task: { mode: "always", ...policy }, handler: (_, ctx) => run(ctx) as Promise<string> });
}

it("another process resumes the task of a process that died and repeats no once effect (E-31)", async () => {
  const store = createSharedStore();
  const effects: string[] = [];
  const work = tool(async (ctx) => {
    for (const step of ["one", "two", "three"]) await ctx.once(step, () => void effects.push(step));
    return effects.join(" ");
  });
  const taskId = await processOn(mortal(store, { atWrite: 2 }), work).start("work");
  const other = processOn(store, work);
  expect(await other.rest(taskId)).toMatchObject({
    status: "completed",
    result: { content: [{ text: "one two three" }] },
  });
  expect(effects).toEqual(["one", "two", "three"]);
});

it("fails the task of a tool that must not run again, with the reason", async () => {
  const store = createSharedStore();
  const work = tool((ctx) => ctx.once("one", () => "done"), { restart: "fail" });
  const taskId = await processOn(mortal(store, { atWrite: 1 }), work).start("work");
  expect(await processOn(store, work).rest(taskId)).toMatchObject({
    status: "failed",
    statusMessage: "the server was restarted while the task was running",
  });
});

it("gives up a task that kills each process that runs it", async () => {
  const store = createSharedStore();
  const work = tool((ctx) => ctx.once(`${Math.random()}`, () => "done"));
  const taskId = await processOn(mortal(store, { atWrite: 1 }), work).start("work");
  // Each acquires the task and dies with its next step.
  for (let deaths = 1; deaths <= 2; deaths++) {
    processOn(mortal(store, { atWrite: 1 }), work);
    await vi.waitFor(async () => expect((await store.read(taskId))?.deaths).toBe(deaths), 10_000);
  }
  expect(await processOn(store, work).rest(taskId)).toMatchObject({
    status: "failed",
    statusMessage: "the server died 3 times while it ran the task",
    error: { data: { reason: "worker_deaths" } },
  });
});

it("a closing server hands its tasks back without counting a death", async () => {
  const store = createSharedStore();
  let isRestarted = false;
  let isHalfDone = false;
  const signals: AbortSignal[] = [];
  const work = tool(async (ctx) => {
    signals.push(ctx.signal);
    await ctx.once("first", () => "x");
    isHalfDone = true;
    if (!isRestarted)
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
    return "done";
  });
  const first = processOn(store, work);
  const taskId = await first.start("work");
  await vi.waitFor(() => expect(isHalfDone).toBe(true));
  await first.server.close();
  expect(signals[0]?.aborted).toBe(true);
  const handedBack = await store.read(taskId);
  expect([handedBack?.status, handedBack?.worker, handedBack?.deaths]).toEqual(["working", undefined, 0]);
  isRestarted = true;
  expect(await processOn(store, work).rest(taskId)).toMatchObject({ status: "completed" });
});

it("a process that was cut off from the store loses its task, and withdraws the death of which it was suspected", async () => {
  const store = createSharedStore();
  const whole = wrapStore(store, {});
  let isCut = false;
  const unlessCut =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isCut) throw storeUnavailable();
      return act(...args);
    };
  const line = wrapStore(store, {
    update: unlessCut(whole.update),
    acquire: unlessCut(whole.acquire),
    renew: unlessCut(whole.renew),
  });
  const signals: AbortSignal[] = [];
  const work = tool((ctx) => {
    signals.push(ctx.signal);
    return never;
  });
  const taskId = await processOn(line, work).start("work");
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  isCut = true;
  processOn(store, work, { leaseMs: 90 });
  await vi.waitFor(async () => expect(await store.read(taskId)).toMatchObject({ deaths: 1, fence: 2 }), 5_000);
  expect(signals[0]?.aborted).toBe(false);
  isCut = false;
  await vi.waitFor(async () => expect(await store.read(taskId)).toMatchObject({ deaths: 0, fence: 2 }), 5_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

it("a process whose renewals fail begins no step once another process may hold its task", async () => {
  const store = createSharedStore();
  let isCut = false;
  const whole = wrapStore(store, {});
  const renewal = <A extends unknown[], R>(act: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => (isCut ? Promise.reject(storeUnavailable()) : act(...args));
  };
  // Only renewals fail: the journal would show the process at once that it lost the task.
  const line = wrapStore(store, { acquire: renewal(whole.acquire), renew: renewal(whole.renew) });
  const begun: string[] = [];
  const work = (name: string) =>
    tool(async (ctx) => {
      for (let step = 0; step < 60; step++) {
        await ctx.once(`${step}`, () => void begun.push(`${name} ${step}`));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return "done";
    });
  const taskId = await processOn(line, work("one"), { leaseMs: 90 }).start("work");
  const other = processOn(store, work("other"), { leaseMs: 90 });
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(3));
  isCut = true;
  expect(await other.rest(taskId)).toMatchObject({ status: "completed" });
  const steps = begun.map((line) => line.split(" ")[1]);
  expect(steps).toEqual(Array.from({ length: 60 }, (_, step) => `${step}`));
  const takenAt = begun.findIndex((line) => line.startsWith("other"));
  expect(takenAt).toBeGreaterThan(3);
  expect(begun.slice(takenAt).filter((line) => line.startsWith("one"))).toEqual([]);
});

it("keeps the result of a task that ended while its server closed", async () => {
  const store = createSharedStore();
  const work = tool(async (ctx) => {
    await new Promise((end) => ctx.signal.addEventListener("abort", end));
    return "saved";
  });
  const client = createTaskClient(work, { tasks: { store, ...lease, closeGraceMs: 1_000 } });
  const taskId = await client.start("work");
  await client.server.close();
  expect(await store.read(taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "saved" }] } });
});

it("two live processes never run one task at a time, and either one serves its state", async () => {
  const store = createSharedStore();
  let running = 0;
  let most = 0;
  const form = z.object({ ok: z.boolean() });
  const work = tool(async (ctx) => {
    most = Math.max(most, ++running);
    await new Promise((end) => setTimeout(end, 100));
    running -= 1;
    return (await ctx.elicit("Go on?", form, { key: "ok" })).ok;
  });
  // Long enough for a machine that has other things to do.
  const living = { leaseMs: 1_500 };
  const [one, other] = [processOn(store, work, living), processOn(store, work, living)];
  const taskId = await one.start("work");
  await vi.waitFor(async () => expect(await other.get(taskId)).toMatchObject({ status: "input_required" }));
  await other.update(taskId, { ok: { action: "accept", content: { ok: true } } });
  expect(await other.rest(taskId)).toMatchObject({ status: "completed" });
  expect(await one.get(taskId)).toMatchObject({ status: "completed" });
  expect(most).toBe(1);
});

it("stops a task that another process cancelled (F-20)", async () => {
  const store = createSharedStore();
  let signal: AbortSignal | undefined;
  const work = tool((ctx) => {
    signal = ctx.signal;
    return never;
  });
  const [one, other] = [processOn(store, work), processOn(store, work)];
  const taskId = await one.start("work");
  await other.cancel(taskId);
  await vi.waitFor(() => expect(signal?.aborted).toBe(true));
});

const versioned =
  (version: string, ...compatibleVersions: string[]) =>
  (server: Server) =>
    server.tool("work", {
      ...{ task: "always" as const, version, compatibleVersions },
      handler: (_, ctx) => ctx.once("one", () => version),
    });

it("an incompatible version of the handler fails a task, and the error names both versions", async () => {
  const store = createSharedStore();
  const taskId = await processOn(mortal(store, { atWrite: 1 }), versioned("1")).start("work");
  const ended = await processOn(store, versioned("3", "2")).rest(taskId);
  const statusMessage =
    'the task of "work" started in version "1", and its handler is now "3", which does not continue such calls: start the call again';
  expect(ended).toMatchObject({ status: "failed", statusMessage });
  expect(incompatibleVersionOf((ended as { error?: unknown }).error)).toEqual({
    startedVersion: "1",
    currentVersion: "3",
  });
});

it("a compatible version of the handler continues a task with its journal", async () => {
  const store = createSharedStore();
  const taskId = await processOn(mortal(store, { atWrite: 1 }), versioned("1")).start("work");
  expect(await processOn(store, versioned("3", "2", "1")).rest(taskId)).toMatchObject({
    status: "completed",
    result: { content: [{ text: "1" }] },
  });
});

it("a handler of other arguments without a version does not continue a task", async () => {
  const store = createSharedStore();
  const taking = (inputSchema: { type: "object"; description: string }) => (server: Server) =>
    server.tool("work", { task: "always", inputSchema, handler: (_, ctx) => ctx.once("one", () => "done") });
  const before = taking({ type: "object", description: "before" });
  const taskId = await processOn(mortal(store, { atWrite: 1 }), before).start("work");
  expect(await processOn(store, taking({ type: "object", description: "after" })).rest(taskId)).toMatchObject({
    status: "failed",
    statusMessage: "the tool has changed since the task began",
  });
});

it("the task of a tool that one process lacks waits for a process that has it", async () => {
  const store = createSharedStore();
  const work = tool((ctx) => ctx.once("one", () => "done"));
  const taskId = await processOn(mortal(store, { atWrite: 1 }), work).start("work");
  processOn(store, (server) => server.tool("other", { task: "auto", handler: () => "" }));
  expect(await processOn(store, work).rest(taskId)).toMatchObject({ status: "completed" });
});

it("stops the handler when the task store cannot be written, and logs the error", async () => {
  const errors: unknown[] = [];
  const store = createSharedStore();
  const broken = wrapStore(store, { append: () => Promise.reject(new Error("disk full")) });
  const reached: string[] = [];
  const work = tool(async (ctx) => {
    await ctx.once("one", () => "done");
    reached.push("past once");
  });
  const client = createTaskClient(work, { tasks: { store: broken, ...lease }, onError: (error) => errors.push(error) });
  clients.push(client);
  await client.start("work");
  await vi.waitFor(() => expect(errors.map(String)).toContain("Error: disk full"));
  expect(reached).toEqual([]);
});

it("a task ends with the same result and runs each effect once, wherever processes die (E-31)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("once", "ask", "pair", "now"), { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
      async (script, deaths) => {
        const store = createSharedStore();
        const effects: string[] = [];
        const work = tool((ctx) => play(ctx, script, effects));
        let taskId: string | undefined;
        for (const atWrite of [...deaths, Number.POSITIVE_INFINITY]) {
          const own = mortal(store, { atWrite });
          const client = processOn(own, work, { maxDeaths: 10 });
          taskId ??= await client.start("work");
          await answerUntil(() => own.isDead(), client, { store, taskId });
        }
        expect(await store.read(taskId ?? "")).toMatchObject({
          status: "completed",
          result: { content: [{ text: script.join(" ") }] },
        });
        expect(effects.toSorted()).toEqual(expectedEffects(script).toSorted());
      },
    ),
    { numRuns: 20 },
  );
}, 60_000);

async function play(ctx: Context, script: readonly string[], effects: string[]): Promise<string> {
  for (const [index, step] of script.entries()) {
    const effect = (name: string) => ctx.once(name, () => void effects.push(name));
    if (step === "once") await effect(`${index}`);
    if (step === "now") await ctx.now();
    if (step === "ask") await ctx.roots({ key: `${index}` });
    if (step === "pair") await Promise.all([effect(`${index}`), ctx.roots({ key: `${index}` })]);
  }
  return script.join(" ");
}

function expectedEffects(script: readonly string[]): string[] {
  return script.flatMap((step, index) => (step === "once" || step === "pair" ? [`${index}`] : []));
}

/** Answers the input requests of a task until the task or the answering process ends. */
async function answerUntil(
  isDead: () => boolean,
  client: TaskClient,
  { store, taskId }: { store: TaskStore; taskId: string },
): Promise<void> {
  for (let isOver = false; !isOver; ) {
    const task = await vi.waitFor(
      async () => {
        const found = await store.read(taskId);
        if (!found || (found.status === "working" && !isDead())) throw new Error("still working");
        return found;
      },
      { interval: 2, timeout: 5_000 },
    );
    isOver = isDead() || task.status !== "input_required";
    const answers = Object.keys(task.inputRequests ?? {}).map((key) => [key, { roots: [] }]);
    const update = isOver ? undefined : client.update(taskId, Object.fromEntries(answers));
    await Promise.race([update, vi.waitUntil(isDead, { interval: 2, timeout: 100 }).catch(() => {})]);
  }
}
