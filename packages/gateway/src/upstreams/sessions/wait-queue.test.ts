import { McpError } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WaitQueue } from "./wait-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const create = (maxWaiting = 10) =>
  new WaitQueue({ maxWaiting, waitMs: 1_000, refuse: () => new McpError(-32603, "busy") });

test("wakes waiting requests in the order of their arrival", async () => {
  const room = create();
  const woken: number[] = [];
  const waiting = [1, 2, 3].map((index) => room.wait(100).then(() => woken.push(index)));
  expect(room.size).toBe(3);
  room.wake();
  await Promise.all(waiting);
  expect(woken).toEqual([1, 2, 3]);
  expect([room.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test("rejects a request that waits too long, finds the queue full or arrives after its deadline", async () => {
  const room = create(1);
  const late = room.wait(100);
  await expect(room.wait(100)).rejects.toMatchObject({ message: "busy" });
  await expect(room.wait(0)).rejects.toMatchObject({ message: "busy" });
  vi.advanceTimersByTime(100);
  await expect(late).rejects.toMatchObject({ message: "busy" });
  expect(room.size).toBe(0);
});
