import { invalidParams, overloaded, type Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createMemorySingleUseStore } from "./memory-single-use-store.ts";
import { createSingleUse } from "./single-use.ts";
import type { Claim, Round } from "./single-use-store.ts";

const round: Round = { id: "a", callerId: "ann", expiresAt: Number.POSITIVE_INFINITY, inputs: "yes" };
const used = { code: -32602, data: { reason: "already_answered" } };
const failures = { isUnused: () => false };

function complete(text: string): Result {
  return { resultType: "complete", content: [{ type: "text", text }] };
}

describe("createSingleUse", () => {
  it("runs a round once and gives each identical retry the same answer", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    const run = vi.fn(async () => complete("done"));
    const answers = [];
    for (let count = 0; count < 5; count += 1) answers.push(await singleUse.answer(round, run, failures));
    expect(answers).toEqual(Array(5).fill(complete("done")));
    expect(new Set(answers).size).toBe(5);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("joins identical requests to the running one and rejects others", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    let finish: (result: Result) => void = () => {};
    const run = vi.fn(() => new Promise<Result>((resolve) => (finish = resolve)));
    const first = singleUse.answer(round, run, failures);
    const second = singleUse.answer(round, run, failures);
    await expect(singleUse.answer({ ...round, inputs: "no" }, run, failures)).rejects.toMatchObject(used);
    await vi.waitFor(() => expect(run).toHaveBeenCalled());
    finish(complete("done"));
    expect(await Promise.all([first, second])).toEqual([complete("done"), complete("done")]);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("rejects different responses to an answered state", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    await singleUse.answer(round, async () => complete("done"), failures);
    const again = singleUse.answer({ ...round, inputs: "no" }, async () => complete("twice"), failures);
    await expect(again).rejects.toMatchObject(used);
  });

  it("repeats an error to an identical retry, without details that a caller may not see", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    const fails = (error: unknown, id: string) =>
      singleUse.answer({ ...round, id }, () => Promise.reject(error), { ...failures, messageOf: messageOfToolError });
    const refused = invalidParams("no such city", { city: "X" });
    const secret = new Error("password 123");
    const readable = Object.assign(new Error("try another day"), { name: "ToolError" });
    await expect(fails(refused, "1")).rejects.toBe(refused);
    await expect(fails(secret, "2")).rejects.toBe(secret);
    await expect(fails(readable, "3")).rejects.toBe(readable);
    const retried = fails(undefined, "1");
    await expect(retried).rejects.toMatchObject({ code: -32602, message: "no such city", data: { city: "X" } });
    await expect(fails(undefined, "2")).rejects.toMatchObject({ code: -32603, message: "internal error" });
    await expect(fails(undefined, "3")).rejects.toMatchObject({ code: -32603, message: "try another day" });
  });

  it("lets a round without effects be answered again, also with other responses", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    const busy = overloaded("busy", 1);
    const refused = singleUse.answer(round, () => Promise.reject(busy), { isUnused: (error) => error === busy });
    await expect(refused).rejects.toBe(busy);
    const again = singleUse.answer({ ...round, inputs: "no" }, async () => complete("done"), failures);
    expect(await again).toEqual(complete("done"));
  });

  it("does not run a round if the store cannot tell whether its state was answered", async () => {
    const away = overloaded("the store is away", 1_000);
    const store = { claim: () => Promise.reject(away), settle: () => {}, release: () => {} };
    const run = vi.fn();
    await expect(createSingleUse(store).answer(round, run, failures)).rejects.toBe(away);
    expect(run).not.toHaveBeenCalled();
  });

  it.each<[Claim, object]>([
    [{ status: "running" }, { code: -32603, data: { retryAfterMs: 1_000 } }],
    [{ status: "lost" }, { code: -32603, data: { reason: "lost" } }],
    [{ status: "used" }, used],
    [
      { status: "full", isCaller: true },
      { code: -32603, data: { retryAfterMs: 10_000 } },
    ],
    [
      { status: "full", isCaller: false },
      { code: -32603, data: { retryAfterMs: 10_000 } },
    ],
  ])("rejects with a typed error when the store says %j", async (claim, error) => {
    const run = vi.fn();
    const store = { claim: () => claim, settle: () => {}, release: () => {} };
    await expect(createSingleUse(store).answer(round, run, failures)).rejects.toMatchObject(error);
    expect(run).not.toHaveBeenCalled();
  });

  it("returns a result that cannot be stored as JSON, and does not run the round again", async () => {
    const singleUse = createSingleUse(createMemorySingleUseStore());
    const result = { ...complete("done"), count: 1n };
    expect(await singleUse.answer(round, async () => result, failures)).toBe(result);
    await expect(singleUse.answer(round, async () => result, failures)).rejects.toMatchObject(used);
  });
});

function messageOfToolError(error: unknown): string | undefined {
  return error instanceof Error && error.name === "ToolError" ? error.message : undefined;
}
