import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createVigil } from "./vigil.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(hears: () => number | Promise<never>) {
  const gone: string[] = [];
  const mail = { isUp: true, send: async () => hears(), close: async () => {} };
  const plan = { mail, silenceMs: 10_000, onGone: (replica: string) => void gone.push(replica) };
  const vigil = createVigil({ ...plan, look: () => vigil.ping("two", { kind: "ask", calls: [] }) });
  vigil.begin();
  return { vigil, gone };
}

test("one that nobody hears is gone at the second ping", async () => {
  const { gone } = setUp(() => 0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
});

test("one that is heard but says nothing, or whom Redis cannot ask, is gone after the silence", async () => {
  for (const hears of [() => 1, () => Promise.reject(new Error("away"))]) {
    const { gone } = setUp(hears);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gone).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toEqual(["two"]);
  }
});

test("a connection that comes back, and an answer, begin the time anew; and so does a pause in which nobody asked", async () => {
  let heard = 0;
  const { vigil, gone } = setUp(() => heard);
  await vi.advanceTimersByTimeAsync(1_000);
  heard = 1;
  await vi.advanceTimersByTimeAsync(9_000);
  vigil.heardOf("two");
  await vi.advanceTimersByTimeAsync(9_000);
  vigil.heardOf("two");
  expect(vigil.silenceOf("two")).toBe(0);
  vi.advanceTimersByTime(0);
  vigil.end();
  await vi.advanceTimersByTimeAsync(60_000);
  vigil.begin();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(gone).toEqual([]);
});
