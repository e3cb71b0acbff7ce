import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchStart } from "./start-activity.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch() {
  const activity = watchStart({ startTimeoutMs: 60_000, probeTimeoutMs: 5_000 });
  const ignored = vi.fn();
  void activity.ignored.then(ignored);
  return { ...activity, isIgnored: () => ignored.mock.calls.length > 0 };
}

describe("deciding that a starting process has ignored a request", () => {
  it("a process that writes nothing has ignored a request after a quarter of its start budget", async () => {
    const { isIgnored } = watch();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(isIgnored()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isIgnored()).toBe(true);
  });

  it("a process has ignored a request 5 s after its first line on stdout, regardless of later lines", async () => {
    const { isIgnored, onStdout, onStderr } = watch();
    await vi.advanceTimersByTimeAsync(10_000);
    onStdout();
    await vi.advanceTimersByTimeAsync(4_999);
    onStdout();
    onStderr();
    expect(isIgnored()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isIgnored()).toBe(true);
  });

  it("a process has ignored a request 5 s after its last line on stderr, because an installer also writes there", async () => {
    const { isIgnored, onStderr } = watch();
    for (let times = 0; times < 5; times += 1) {
      onStderr();
      await vi.advanceTimersByTimeAsync(4_999);
    }
    expect(isIgnored()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isIgnored()).toBe(true);
  });

  it("a process has ignored a request after half of its start budget at the latest, so that initialize still has time", async () => {
    const { isIgnored, onStderr } = watch();
    for (let times = 0; times < 30; times += 1) {
      expect(isIgnored()).toBe(false);
      onStderr();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(isIgnored()).toBe(true);
  });
});

it("a stopped measurement leaves no timer, even if the process writes afterwards", () => {
  const { stop, onStdout, onStderr } = watch();
  stop();
  onStderr();
  onStdout();
  expect(vi.getTimerCount()).toBe(0);
});
