// Calls over HTTP while an upstream refuses connections.
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { expect, it, vi } from "vitest";
import { type Answer, operate } from "./testing/operated.ts";

async function startUpstream(port = 0): Promise<Serving & { ran: number }> {
  const server = createServer({ name: "up", version: "1.0.0" });
  const upstream = { ran: 0 };
  server.tool("count", {
    handler() {
      upstream.ran += 1;
      return "counted";
    },
  });
  return Object.assign(upstream, await serve(server, { port }));
}

/** A gateway in front of an upstream that has stopped after its lists were read. */
async function startOutage(waitMs: number) {
  const upstream = await startUpstream();
  const gateway = await operate({
    mcpServers: { up: { url: upstream.url } },
    gateway: { upstreams: { up: { sharing: "shared", sessions: { waitMs } } }, restart: { firstMs: 50, maxMs: 100 } },
  });
  expect((await gateway.ask("tools/call", { name: "up__count" })).status).toBe(200);
  await upstream.close({ graceMs: 0 });
  /** A call on a connection that is just being closed is lost. */
  async function call(): Promise<Answer> {
    for (;;) {
      const answer = await gateway.ask("tools/call", { name: "up__count" });
      if (answer.body.error?.data.reason !== "lost") return answer;
    }
  }
  return { call, gateway, port: upstream.port };
}

it("a call that cannot start answers 503 with Retry-After and a typed error when waitMs is over", async () => {
  const { call, gateway } = await startOutage(300);
  await using _ = gateway;
  const { status, headers, body } = await call();
  expect([status, headers.get("content-type")]).toEqual([503, "application/json"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  const data = { reason: "unavailable", upstream: "up", retryAfterMs: expect.any(Number) };
  expect(body).toMatchObject({ id: 1, error: { code: -32603, data } });
});

it("a call that arrives while its upstream restarts waits for it and runs once", async () => {
  const { call, gateway, port } = await startOutage(20_000);
  await using _ = gateway;
  const sent = call();
  await vi.waitFor(async () => {
    const metrics = await (await gateway.get("/metrics")).text();
    expect(metrics).toContain('lethe_waiting_requests{upstream="up"} 1');
  });
  const restarted = await startUpstream(port);
  expect((await sent).body.result.content).toEqual([{ type: "text", text: "counted" }]);
  expect(restarted.ran).toBe(1);
  await restarted.close({ graceMs: 0 });
});
