// The memory budget at the HTTP edges: large bodies and unread responses are counted and released.
import { MemoryBudget, type Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { type HeldDispatch, holdDispatch } from "../testing/held-dispatch.ts";
import { describeMatrix } from "../testing/http-platforms.ts";
import { callOf, progress, requestOf } from "../testing/messages.ts";

const complete: Result = { resultType: "complete", content: [] };
const mega = 1024 * 1024;

const progressOf = (length: number) => ({
  ...progress,
  params: { ...progress.params, message: "x".repeat(length) },
});

describeMatrix("the memory budget", (platform) => {
  it("rejects new requests above its soft mark with 503 and Retry-After, and accepts them again below it", async () => {
    const memory = new MemoryBudget(1_000);
    await using client = await platform.open({ dispatch: async () => complete }, { memory });
    const holding = memory.hold("calls");
    holding.set(900);
    const refused = await client.send({ body: callOf() });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: -32603, data: { retryAfterMs: 1_000 } } });
    expect(memory.refusedCount).toBe(1);
    holding.release();
    expect((await client.send({ body: callOf() })).status).toBe(200);
  });

  it("counts a large request until it is answered, and never a small one", async () => {
    const memory = new MemoryBudget(mega);
    const [small, large] = [holdDispatch(), holdDispatch()];
    const dispatches = [small.dispatch, large.dispatch];
    await using client = await platform.open(
      { dispatch: (request, exchange) => (dispatches.shift() ?? small.dispatch)(request, exchange) },
      { memory },
    );
    const answers = [client.send({ body: callOf() })];
    await small.exchange;
    expect(memory.heldBytes).toBe(0);
    answers.push(client.send({ body: { ...callOf(), padding: "x".repeat(100_000) } }));
    await large.exchange;
    expect(memory.heldByKind.requests).toBeGreaterThan(100_000);
    small.finish();
    large.finish();
    for (const answer of answers) expect((await answer).status).toBe(200);
    expect(memory.heldBytes).toBe(0);
  });

  it("counts the names of a subscription until its stream ends, and rejects it when there is no room for them", async () => {
    const memory = new MemoryBudget(mega);
    const held = holdDispatch();
    await using client = await platform.open(held, { memory });
    const listenTo = (count: number) => {
      const resourceSubscriptions = Array.from({ length: count }, (_, index) => `x:${index}`);
      return client.send({ body: requestOf("subscriptions/listen", { notifications: { resourceSubscriptions } }) });
    };
    const listening = listenTo(1_000);
    (await held.exchange).notify(progress);
    expect(memory.heldByKind.requests).toBeGreaterThan(200_000);
    expect([429, 503]).toContain((await listenTo(2_900)).status);
    held.finish();
    await (await listening).text();
    expect(memory.heldBytes).toBe(0);
  });

  it("answers 413 to a body that would be too large once parsed", async () => {
    const memory = new MemoryBudget(mega);
    await using client = await platform.open({ dispatch: async () => complete }, { memory });
    const body = JSON.stringify({ ...callOf(), padding: [] }).replace("[]", `[${Array(50_000).fill("{}").join()}]`);
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add" };
    const answer = await client.send({ body, headers });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toMatch(/would take about \d+ bytes of memory; the limit is 1048576/);
    expect(memory.heldBytes).toBe(0);
  });

  it("answers 503 to a large body while other requests hold the memory that it needs", async () => {
    const memory = new MemoryBudget(4 * mega);
    await using client = await platform.open({ dispatch: async () => complete }, { memory });
    const holding = memory.hold("calls");
    holding.set(2.5 * mega);
    const body = { ...callOf(), padding: Array(30_000).fill({}) };
    expect((await client.send({ body })).status).toBe(503);
    holding.release();
    expect((await client.send({ body })).status).toBe(200);
  });

  it("closes the stream of the client that reads the slowest when the hard mark is exceeded", async () => {
    const memory = new MemoryBudget(4 * mega);
    const [slow, slower] = [holdDispatch(), holdDispatch()];
    const dispatches = [slow.dispatch, slower.dispatch];
    await using client = await platform.open(
      { dispatch: (request, exchange) => (dispatches.shift() ?? slow.dispatch)(request, exchange) },
      { memory, maxBufferedBytes: 64 * mega },
    );
    const notify = async (held: HeldDispatch, count: number): Promise<void> => {
      const exchange = await held.exchange;
      for (let sent = 0; sent < count; sent++) exchange.notify(progressOf(mega / 4));
    };
    const first = client.open({ body: callOf() });
    await notify(slow, 4);
    const second = client.open({ body: callOf() });
    await notify(slower, 60);
    await vi.waitFor(async () => expect((await slower.exchange).signal.aborted).toBe(true));
    expect((await slow.exchange).signal.aborted).toBe(false);
    expect(memory.droppedCount).toBe(1);
    slow.finish();
    await first.answer;
    await second.answer.catch(() => {});
    first.leave();
    second.leave();
    await vi.waitFor(() => expect(memory.heldByKind.responses).toBe(0));
  });

  it("counts nothing after clients leave in the middle of a body or a response", async () => {
    const memory = new MemoryBudget(64 * mega);
    const held = holdDispatch();
    await using client = await platform.open(held, { memory, maxBufferedBytes: 64 * mega });
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      await new Promise(() => {});
    }
    const sending = client.open({ body: endless() });
    if (platform.name === "node:http") await vi.waitFor(() => expect(memory.heldByKind.requests).toBeGreaterThan(0));
    const reading = client.open({ body: callOf() });
    const exchange = await held.exchange;
    exchange.onAbort?.(() => {});
    for (let sent = 0; sent < 100; sent++) exchange.notify(progressOf(100_000));
    await vi.waitFor(() => expect(memory.heldByKind.responses).toBeGreaterThan(0));
    sending.leave();
    reading.leave();
    for (const { answer } of [sending, reading]) answer.catch(() => {});
    await vi.waitFor(() => expect(memory.heldByKind.responses).toBe(0));
    // A web stream does not report that its source has gone.
    if (platform.name === "node:http") await vi.waitFor(() => expect(memory.heldBytes).toBe(0));
    held.finish();
  });
});
