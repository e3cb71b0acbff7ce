import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWaitingLine } from "./waiting-line.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createTerminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

it("a call that takes longer than a second shows for how long it has been running", () => {
  const terminal = createTerminal(true);
  const waiting = createWaitingLine(terminal, "host:1");
  vi.advanceTimersByTime(999);
  expect(terminal.written).toEqual([]);
  vi.advanceTimersByTime(2001);
  expect(terminal.written.at(-1)).toContain("waiting for host:1 … 3 s");
  waiting.stop();
  expect(terminal.written.at(-1)).toBe("\r\u001b[2K");
});

it("the line stays away while the user types", () => {
  const terminal = createTerminal(true);
  const waiting = createWaitingLine(terminal, "host:1");
  const resume = waiting.pause();
  vi.advanceTimersByTime(10_000);
  expect(terminal.written).toEqual([]);
  resume();
  vi.advanceTimersByTime(2_000);
  expect(terminal.written.at(-1)).toContain("12 s");
  waiting.stop();
});

it("a pipe gets no line", () => {
  const terminal = createTerminal(false);
  const waiting = createWaitingLine(terminal, "host:1");
  vi.advanceTimersByTime(5_000);
  waiting.stop();
  expect(terminal.written).toEqual([]);
});
