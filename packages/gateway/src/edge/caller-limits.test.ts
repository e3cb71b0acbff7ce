import { type Dispatch, method, type Result } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import type { LimitSettings } from "../config/schema/settings.ts";
import { createFakeExchange, done, requestOf } from "../testing/fakes.ts";
import { callerLimits } from "./caller-limits.ts";

function setUp(limits?: LimitSettings) {
  const running: { resolve(result: Result): void; reject(error: Error): void }[] = [];
  const next: Dispatch = () => new Promise((resolve, reject) => running.push({ resolve, reject }));
  const dispatch = callerLimits(limits).middleware(next);
  const ask = (caller: string | undefined, name: string = method.callTool) => {
    const answer = dispatch(requestOf(name), createFakeExchange(caller));
    answer.catch(() => {});
    return answer;
  };
  return { ask, running };
}

describe("limits of each caller", () => {
  it("tells a caller at its limit when to retry, without affecting other callers", async () => {
    const { ask, running } = setUp({ maxConcurrentPerCaller: 2 });
    const first = ask("ann");
    void ask("ann");
    await expect(ask("ann")).rejects.toMatchObject({
      message: expect.stringContaining("at most 2 requests of one caller"),
      data: { retryAfterMs: 1_000 },
    });
    void ask("bob");
    void ask(undefined);
    expect(running).toHaveLength(4);
    running[0]?.resolve(done);
    await first;
    void ask("ann");
    expect(running).toHaveLength(5);
  });

  it("releases the share of a caller after a failure", async () => {
    const { ask, running } = setUp({ maxConcurrentPerCaller: 1 });
    const failing = ask("ann");
    running[0]?.reject(new Error("no"));
    await expect(failing).rejects.toThrow("no");
    void ask("ann");
    expect(running).toHaveLength(2);
  });

  it("counts subscriptions of a caller separately", async () => {
    const { ask, running } = setUp({ maxConcurrentPerCaller: 1, maxStreamsPerCaller: 1 });
    void ask("ann");
    void ask("ann", method.listen);
    await expect(ask("ann", method.listen)).rejects.toThrow("at most 1 subscriptions of one caller");
    expect(running).toHaveLength(2);
  });

  it("limits a caller to half of the gateway by default", async () => {
    const { ask, running } = setUp({ maxConcurrentRequests: 4 });
    for (let count = 0; count < 2; count += 1) void ask("ann");
    await expect(ask("ann")).rejects.toThrow("at most 2 requests");
    expect(running).toHaveLength(2);
  });
});
