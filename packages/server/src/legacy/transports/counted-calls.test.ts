// What a call of a legacy client counts for while it runs, on both platforms: its body and its slot.
import { MemoryBudget } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import type { LegacyEdge, Servable } from "../../http/servable.ts";
import { type Client, describeMatrix } from "../../testing/http-platforms.ts";
import { begin, eventsOf, messagesOf, take, toInitialize } from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import { callOf } from "../../testing/messages.ts";

const padding = "x".repeat(100_000);
const waiting = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "wait", _meta: { progressToken: id, "test/padding": padding } },
});
const bare = { "mcp-protocol-version": undefined, "mcp-method": undefined, "mcp-name": undefined };

/** The status of a modern call: 503 while the only slot is taken. */
async function statusOfCall(client: Client): Promise<number> {
  return (await client.send({ body: callOf() })).status;
}

/** Calls `left` when the edge has noticed that the client of a request left. */
function noticing(server: Servable, left: () => void): Servable {
  const legacy = server.legacy as LegacyEdge;
  const receiveCall: LegacyEdge["receiveCall"] = (call) => {
    call.onAbort(left);
    legacy.receiveCall(call);
  };
  const claims: LegacyEdge["claims"] = (message, head) => legacy.claims(message, head);
  return { dispatch: server.dispatch, legacy: { ...legacy, paths: legacy.paths, claims, receiveCall } };
}

describeMatrix("a running call of a legacy client", (platform) => {
  it("holds its slot and its memory after the client has left, until the call ends", async () => {
    const fixture = createFixture();
    const memory = new MemoryBudget(1_000_000);
    const left = vi.fn();
    const options = { memory, maxConcurrentRequests: 1 };
    await using client = await platform.open(noticing(fixture.server, left), options);
    const old = await begin(client, "2025-06-18");
    const { answer, leave } = old.open(waiting(1));
    const messages = messagesOf(await answer);
    expect(await take(messages)).toMatchObject({ method: "notifications/progress" });
    leave();
    await messages.return();
    await vi.waitUntil(() => left.mock.calls.length > 0, { interval: 1 });
    expect(memory.heldByKind.requests).toBeGreaterThan(padding.length);
    expect(await statusOfCall(client)).toBe(503);
    fixture.release();
    await vi.waitUntil(() => memory.heldBytes === 0, { interval: 1 });
    expect(await statusOfCall(client)).toBe(200);
  });

  it("holds its slot and its memory over HTTP+SSE, whose POST is answered at once, until the call ends", async () => {
    const fixture = createFixture();
    const memory = new MemoryBudget(1_000_000);
    await using client = await platform.open(fixture.server, { memory, maxConcurrentRequests: 1 });
    const { answer, leave } = client.open({ verb: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
    const events = eventsOf(await answer);
    const path = (await take(events)).data ?? "";
    const post = async (body: object) => (await client.send({ path, body: { ...body }, headers: bare })).status;
    expect(await post(toInitialize("2024-11-05"))).toBe(202);
    await take(events);
    expect(await post(waiting(1))).toBe(202);
    expect(JSON.parse((await take(events)).data ?? "")).toMatchObject({ method: "notifications/progress" });
    expect(memory.heldByKind.requests).toBeGreaterThan(padding.length);
    expect(await statusOfCall(client)).toBe(503);
    fixture.release();
    expect(JSON.parse((await take(events)).data ?? "")).toMatchObject({ id: 1, result: {} });
    await vi.waitUntil(() => memory.heldBytes === 0, { interval: 1 });
    expect(await statusOfCall(client)).toBe(200);
    leave();
    await events.return();
  });
});
