// Tests of the clock that a test advances, alone and in a server.
import { createServer } from "@lethe/server";
import { timeout } from "@lethe/server/middleware";
import { every, pause } from "@lethe/server/stores";
import { expect, test } from "vitest";
import { z } from "zod";
import { accept, createTestClock, testClient } from "../index.ts";

const count = z.object({ count: z.number() });

test("timers run in the order of their times, and those they start run as well", async () => {
  const clock = createTestClock({ startAt: 1_000 });
  const ran: string[] = [];
  clock.after(20, () => ran.push(`second at ${clock.now()}`));
  clock.after(10, () => {
    ran.push(`first at ${clock.now()}`);
    clock.after(5, () => ran.push(`started at ${clock.wallTime()}`));
  });
  clock.after(15, () => ran.push("cancelled"))();
  await clock.advance(30);
  expect(ran).toEqual(["first at 10", "started at 1015", "second at 20"]);
  expect(clock.now()).toBe(30);
});

test("a jump runs each due timer once, and none that an earlier one cancelled", async () => {
  const clock = createTestClock();
  const ran: string[] = [];
  const cancel = every(clock, 10, () => ran.push(`every at ${clock.now()}`));
  clock.after(5, () => {
    ran.push("first");
    cancelled();
  });
  const cancelled = clock.after(20, () => ran.push("cancelled"));
  clock.after(86_400_001, () => ran.push("later"));
  await clock.jump(86_400_000);
  cancel();
  expect(ran).toEqual(["first", "every at 86400000"]);
  await expect(clock.jump(-1)).rejects.toThrow("jump: expected a time of 0 ms or more, got -1");
});

test("a negative time is refused, and timers are listed by their durations", async () => {
  const clock = createTestClock();
  await expect(clock.advance(-1)).rejects.toThrow("advance: expected a time of 0 ms or more, got -1");
  clock.after(50, () => {});
  clock.after(40, () => {});
  expect(clock.timers).toEqual([40, 50]);
});

test("waiting for a timer that is never started fails with the timers that were", async () => {
  const clock = createTestClock({ waitMs: 1 });
  clock.after(50, () => {});
  await expect(clock.untilTimer(60)).rejects.toThrow(
    "no timer of 60 ms was started within 1 ms; waiting timers: 50 ms",
  );
  await clock.untilTimer(50);
});

test("a handler that pauses on the clock continues when the test advances it", async () => {
  const clock = createTestClock();
  const server = createServer({ name: "sleeper", version: "1" }, { clock }).tool("sleep", {
    async handler() {
      await pause(clock, 86_400_000);
      return new Date(clock.wallTime()).toISOString();
    },
  });
  await using client = await testClient(server, { timeoutMs: 60_000 });
  const call = client.callTool("sleep");
  await clock.untilTimer(86_400_000);
  await clock.advance(86_400_000);
  expect((await call).content).toMatchObject([{ text: "2026-01-02T00:00:00.000Z" }]);
});

test("sealed state expires on the clock of the server", async () => {
  const clock = createTestClock();
  const server = createServer({ name: "asker", version: "1" }, { clock, seal: { ttlMs: 60_000 } }).tool("ask", {
    handler: async (_, ctx) => `${(await ctx.elicit("How many?", count)).count}`,
  });
  const late = (ms: number) => async () => {
    await clock.advance(ms);
    return accept({ count: 1 });
  };
  await using client = await testClient(server, { answers: [late(59_999), late(60_000)] });
  expect((await client.callTool("ask")).content).toMatchObject([{ text: "1" }]);
  await expect(client.callTool("ask")).rejects.toThrow("invalid or expired requestState");
});

test("tasks expire on the clock of the server", async () => {
  const clock = createTestClock();
  const server = createServer({ name: "worker", version: "1" }, { clock, tasks: { ttlMs: 60_000, keepMs: 0 } }).tool(
    "work",
    { task: { mode: "always" }, handler: () => "done" },
  );
  await using client = await testClient(server);
  const task = await client.callTool("work", {}, { manual: true });
  const handle = client.task(task as never);
  await expect.poll(async () => (await handle.get()).status).toBe("completed");
  await clock.advance(59_000);
  expect((await handle.get()).status).toBe("completed");
  await clock.advance(400_000);
  await expect(handle.get()).rejects.toThrow();
  await server.close();
});

test("the timeout middleware and the answers of older clients use the clock", async () => {
  const clock = createTestClock();
  const server = createServer({ name: "slow", version: "1" }, { clock, legacy: { answerTimeoutMs: 30_000 } })
    .use(timeout({ ms: 5_000, clock }))
    .tool("hang", { handler: () => new Promise<string>(() => {}) })
    .tool("ask", { handler: async (_, ctx) => `${(await ctx.elicit("How many?", count)).count}` });
  await using client = await testClient(server);
  const call = client.callTool("hang");
  call.catch(() => {});
  await clock.untilTimer(5_000);
  await clock.advance(5_000);
  await expect(call).rejects.toThrow("request timed out after 5000 ms");

  const answers = [
    async () => {
      await clock.untilTimer(30_000);
      await clock.advance(30_000);
      return accept({ count: 1 });
    },
  ];
  await using older = await testClient(server, { answers, revision: "2025-11-25", transport: "stdio" });
  await expect(older.callTool("ask")).rejects.toThrow("the client did not answer elicitation/create");
});
