// Workers forward requests to the owners of sessions, and learn at once that another one is gone.
import type { ModernRequest, Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { exchangeOf, startTwo } from "./testing/two-workers.ts";

const request = { id: 1, method: "tools/call", params: { name: "greet" } } as unknown as ModernRequest;
const done = { resultType: "complete" } as Result;

describe.each([
  ["through their parent", false],
  ["over a pipe of the two workers", true],
])("requests that are forwarded %s", (_way, isPaired) => {
  it("runs a request at the owner with the caller's identity, and returns notifications and the result", async () => {
    const { asker, owner } = await startTwo(
      async (received, exchange) => {
        exchange.notify({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } } as never);
        return { ...done, echo: [received.method, exchange.caller?.id] } as unknown as Result;
      },
      { isPaired },
    );
    const notes: unknown[] = [];
    const exchange = exchangeOf({ caller: { id: "ann" } as never, notify: (note) => notes.push(note) > 0 });
    const result = await asker.reach(owner.self, "/mcp")?.(request, exchange);
    expect(result).toEqual({ ...done, echo: ["tools/call", "ann"] });
    expect(notes).toHaveLength(1);
    expect([asker.sent, owner.received]).toEqual([1, 1]);
  });

  it("aborts the request at the owner when the caller leaves", async () => {
    let aborted = false;
    const { asker, owner } = await startTwo(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("aborted"));
          }),
        ),
      { isPaired },
    );
    const leaving = new AbortController();
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf({ signal: leaving.signal }));
    await vi.waitFor(() => expect(owner.received).toBe(1));
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ reason: "lost" });
    await vi.waitFor(() => expect(aborted).toBe(true));
  });

  it("ends a request with the reason `lost` when the process of the owner ends, and gives its sessions to others", async () => {
    const { workers, two, asker, owner } = await startTwo(() => new Promise(() => {}), { isPaired });
    await owner.acquire("a");
    expect((await asker.acquire("a")).owner).toBe(owner.self);
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    await vi.waitFor(() => expect(owner.received).toBe(1));
    workers.kill(two);
    await expect(answer).rejects.toMatchObject({ reason: "lost" });
    expect(await asker.acquire("a")).toEqual({ owner: asker.self, formerOwner: owner.self });
    expect(asker.reach(owner.self, "/mcp")).toBeUndefined();
    expect(asker.workersLost).toBe(1);
  });

  it("refuses a request that is larger than a message may be", async () => {
    const { asker, owner } = await startTwo(async () => done, { isPaired, asker: { maxMessageBytes: 100 } });
    const large = { ...request, params: { text: "x".repeat(200) } } as unknown as ModernRequest;
    await expect(asker.reach(owner.self, "/mcp")?.(large, exchangeOf())).rejects.toMatchObject({ reason: "too_large" });
  });

  it("tells the caller when an answer is larger than a message may be", async () => {
    const problems: string[] = [];
    const large = { ...done, text: "x".repeat(2_000) } as unknown as Result;
    const onProblem = (problem: string) => void problems.push(problem);
    const limited = { maxMessageBytes: 1_000, onProblem };
    const { asker, owner } = await startTwo(async () => large, { isPaired, owner: limited });
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    await expect(answer).rejects.toMatchObject({ reason: "too_large" });
    expect(problems).toHaveLength(1);
  });

  it("delivers an answer that was ready before the owner left", async () => {
    const running: ((result: Result) => void)[] = [];
    const { asker, owner } = await startTwo(() => new Promise((resolve) => running.push(resolve)), { isPaired });
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    await vi.waitFor(() => expect(owner.received).toBe(1));
    const left = owner.leave(60_000).then(() => owner.close());
    running[0]?.(done);
    await left;
    expect(await answer).toEqual(done);
  });
});

describe("a pipe of two workers", () => {
  it("carries requests that begin after it was there, while earlier ones end through the parent", async () => {
    const running: ((result: Result) => void)[] = [];
    const { asker, owner, pair } = await startTwo(() => new Promise((resolve) => running.push(resolve)));
    const ask = () => asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    const answers = [ask()];
    pair();
    answers.push(ask());
    await vi.waitFor(() => expect(running).toHaveLength(2));
    for (const resolve of running.reverse()) resolve(done);
    expect(await Promise.all(answers)).toEqual([done, done]);
  });

  it("delivers an answer that the owner sent before its process ended, although the parent reports the end first", async () => {
    const { workers, two, asker, owner } = await startTwo(async () => done, { isPaired: true });
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    workers.hub.left(two.number);
    await vi.waitFor(() => expect(asker.workersLost).toBe(1));
    expect(await answer).toEqual(done);
  });

  it("ends its requests when it breaks, and later ones go through the parent", async () => {
    const aborted = vi.fn();
    const { workers, two, asker, owner } = await startTwo(
      ({ method }, { signal }) =>
        method === "tools/call" ? new Promise(() => signal.addEventListener("abort", aborted)) : Promise.resolve(done),
      { isPaired: true },
    );
    const answer = asker.reach(owner.self, "/mcp")?.(request, exchangeOf());
    await vi.waitFor(() => expect(owner.received).toBe(1));
    workers.breakPipes(two);
    await expect(answer).rejects.toMatchObject({ reason: "lost" });
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce());
    const later = { ...request, method: "tools/list" } as ModernRequest;
    expect(await asker.reach(owner.self, "/mcp")?.(later, exchangeOf())).toEqual(done);
  });
});
