// Periodic pings detect a legacy server that has gone (D-24).
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { connectLegacy } from "./connect-legacy.ts";
import { keepAlive } from "./keep-alive.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  type Answer,
  createFakeExchange,
  createFakeLegacyServer,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function connected(ping: Answer, options: Partial<LegacyOptions> = { pingIntervalMs: 1_000 }) {
  const server = createFakeLegacyServer({ tools: {} }, { ping, "tools/call": () => undefined });
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });
  const pings = () => server.received.filter((message) => "method" in message && message.method === "ping").length;
  return { server, connection, pings };
}

describe("keep-alive pings", () => {
  it("pings the server at the configured interval until the connection is closed", async () => {
    const { connection, pings } = await connected(() => ({}));
    await vi.advanceTimersByTimeAsync(3_500);
    expect(pings()).toBe(3);
    await connection.close();
    expect(vi.getTimerCount()).toBe(0);
    expect((await connection.closed).reason).toBe("the connection to fake was closed");
  });

  it("sends no pings by default", async () => {
    const { pings } = await connected(() => ({}), {});
    await vi.advanceTimersByTimeAsync(100_000);
    expect(pings()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("treats method not found as a reply to a ping", async () => {
    const { pings } = await connected(() => ({ error: { code: -32601, message: "no method ping" } }));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(pings()).toBe(2);
  });

  it("rejects calls and closes the connection when the server does not answer a ping in time", async () => {
    const { connection } = await connected(() => undefined, { pingIntervalMs: 1_000, pingTimeoutMs: 500 });
    const call = connection.dispatch(modernRequest("tools/call", { name: "t" }), createFakeExchange());
    const ended = expect(call).rejects.toMatchObject({ reason: "timeout", message: expect.stringContaining("ping") });
    await vi.advanceTimersByTimeAsync(1_500);
    await ended;
    expect((await connection.closed).reason).toContain("ping to fake: ");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("pings again after a ping that could not be sent", async () => {
    const { server, connection, pings } = await connected(() => ({}));
    const { send } = server.wire;
    server.wire.send = () => Promise.reject(new TransportError("lost", "the connection broke"));
    await vi.advanceTimersByTimeAsync(2_000);
    server.wire.send = send;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pings()).toBe(1);
    await connection.close();
  });

  it("reports no failure after it was stopped", async () => {
    const onFailed = vi.fn();
    const ping = (timeoutMs: number) => new Promise((_, reject) => setTimeout(reject, timeoutMs));
    const stop = keepAlive({ pingIntervalMs: 1_000, pingTimeoutMs: 500, ping, onFailed });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(onFailed).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_200);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(onFailed).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sends no pings after the connection ended", async () => {
    const { server, connection } = await connected(() => ({}));
    server.die("gone");
    await connection.closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
