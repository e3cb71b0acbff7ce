import { type Connection, TransportError } from "@lethe/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeConnection, type FakeConnection } from "../../testing/fakes.ts";
import { Upstream, type UpstreamEvent } from "./upstream.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function create(connect: (signal: AbortSignal, callerId: string | undefined) => Promise<Connection>) {
  const events: UpstreamEvent[] = [];
  const upstream = new Upstream({
    name: "up",
    connect,
    startTimeoutMs: 1_000,
    circuitBreaker: { firstMs: 100 },
    onEvent: (event) => events.push(event),
  });
  return { upstream, events };
}

/** An upstream that hangs until it is aborted. */
const never = (signal: AbortSignal) =>
  new Promise<Connection>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("opening a connection", () => {
  it("opens a connection on behalf of the caller that needs it", async () => {
    const connect = vi.fn(async () => createFakeConnection());
    await create(connect).upstream.open("ann");
    expect(connect).toHaveBeenCalledWith(expect.any(AbortSignal), "ann", undefined);
  });

  it("reports the reason of a failed start to the operator and hides it from callers", async () => {
    const { upstream, events } = create(async () => {
      throw new Error("no such program");
    });
    const failed = upstream.open();
    await expect(failed).rejects.toMatchObject({
      code: -32603,
      message: 'upstream "up" is not running',
      data: { reason: "unavailable", upstream: "up", retryAfterMs: 100 },
    });
    expect(events).toEqual([{ kind: "failed", upstream: "up", reason: "no such program", restartInMs: 100 }]);
  });

  it("reports a refusal of a caller's credentials and does not delay other callers", async () => {
    const { upstream, events } = create(async () => {
      throw new TransportError("unauthorized", "refused: HTTP 401");
    });
    for (let times = 0; times < 6; times += 1) {
      await expect(upstream.open("ann")).rejects.toMatchObject({ data: { reason: "unauthorized", upstream: "up" } });
    }
    expect([upstream.breaker.failures, upstream.breaker.delayMs]).toEqual([0, 0]);
    expect(events[0]).toEqual({ kind: "lost", upstream: "up", callerId: "ann", reason: "refused: HTTP 401" });
    const own = upstream.open();
    await expect(own).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(upstream.breaker.failures).toBe(1);
  });

  it("fails to open a connection after the start timeout", async () => {
    const { upstream, events } = create(never);
    const failed = upstream.open();
    failed.catch(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(failed).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(events).toMatchObject([{ reason: "it did not start within 1 s (startTimeoutMs)" }]);
  });

  it("prefers the connector's more precise reason when a start times out", async () => {
    const { upstream, events } = create((signal) =>
      never(signal).catch((error: Error) => {
        throw new TransportError("cancelled", `connecting to up: ${error.message}; it last wrote:\nproceed? (y)`);
      }),
    );
    const failed = upstream.open();
    failed.catch(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(events).toMatchObject([
      { reason: "connecting to up: it did not start within 1 s (startTimeoutMs); it last wrote:\nproceed? (y)" },
    ]);
  });

  it("waits for the back-off of an earlier failed start", async () => {
    const connect = vi.fn(async (): Promise<FakeConnection> => createFakeConnection());
    const { upstream } = create(connect);
    upstream.breaker.failed();
    const opened = upstream.open();
    await vi.advanceTimersByTimeAsync(99);
    expect(connect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await opened;
    expect(upstream.breaker.delayMs).toBe(0);
  });
});

describe("the end of a connection", () => {
  it("counts a connection that ends by itself as a failure, but not one that is closed", async () => {
    const connections = [createFakeConnection(), createFakeConnection()];
    const { upstream, events } = create(async () => connections.shift() as Connection);
    const lost = (await upstream.open()) as FakeConnection;
    const closed = await upstream.open();
    await upstream.close(closed);
    lost.end("exited with code 1");
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual([{ kind: "failed", upstream: "up", reason: "exited with code 1", restartInMs: 100 }]);
  });

  it("a connection that ends for one caller delays only that caller", async () => {
    const { upstream, events } = create(async () => createFakeConnection());
    for (let times = 0; times < 6; times += 1) {
      const opening = upstream.open("ann");
      await vi.advanceTimersByTimeAsync(60_000);
      ((await opening) as FakeConnection).end("exited with code 1");
      await vi.advanceTimersByTimeAsync(0);
    }
    expect([upstream.breaker.failures, upstream.delayMsOf("bob")]).toEqual([0, 0]);
    expect(upstream.unavailable("ann").data).toMatchObject({ retryAfterMs: upstream.delayMsOf("ann") });
    expect(upstream.delayMsOf("ann")).toBeGreaterThan(100);
    expect(events.at(-1)).toEqual({ kind: "lost", upstream: "up", callerId: "ann", reason: "exited with code 1" });
    await upstream.stop();
  });

  it("a connection that lived for a while resets the back-off", async () => {
    const { upstream } = create(async () => createFakeConnection());
    for (let times = 0; times < 4; times += 1) upstream.breaker.failed();
    const opening = upstream.open();
    await vi.advanceTimersByTimeAsync(1_000);
    const connection = (await opening) as FakeConnection;
    await vi.advanceTimersByTimeAsync(60_001);
    connection.end("gone");
    await vi.advanceTimersByTimeAsync(0);
    expect(upstream.breaker.failures).toBe(1);
  });
});

describe("stopping an upstream", () => {
  it("closes open connections, cancels openings and opens nothing more", async () => {
    const open = createFakeConnection();
    const waiting = [async () => open, never];
    const { upstream, events } = create((signal) => (waiting.shift() as typeof never)(signal));
    await upstream.open();
    const opening = upstream.open();
    opening.catch(() => {});
    await upstream.stop();
    await expect(opening).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(open.isClosed).toBe(true);
    await expect(upstream.open()).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(events).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
