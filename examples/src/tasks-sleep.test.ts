// The example of a sleeping task, on a clock that the test moves by days.
import { isTaskResult } from "@lethe/client";
import { createTestClock, testClient } from "@lethe/server/testing";
import { expect, it } from "vitest";
import { createReminders } from "./tasks-sleep.ts";

it("sends the first reminder after two days and the second one 90 minutes later", async () => {
  const clock = createTestClock();
  const sent: string[] = [];
  const server = createReminders(async (text) => void sent.push(text), { clock });
  await using client = await testClient(server);
  const started = await client.callTool("remind", { text: "Call Ada", days: 2 }, { manual: true });
  if (!isTaskResult(started)) throw new Error("a task expected");
  const isSent = async (count: number) => {
    // Workers look for tasks that are due once a second.
    for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
    return sent.length === count;
  };
  expect(await isSent(0)).toBe(true);
  await clock.jump(2 * 86_400_000 - 20_000);
  expect(await isSent(0)).toBe(true);
  await clock.jump(10_000);
  expect(await isSent(1)).toBe(true);
  await clock.jump(90 * 60_000);
  expect(await isSent(2)).toBe(true);
  expect(sent).toEqual(["Call Ada", "Again: Call Ada"]);
  expect(await client.task({ taskId: started.taskId, tool: "remind" }).get()).toMatchObject({ status: "completed" });
});
