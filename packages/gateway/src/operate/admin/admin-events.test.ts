// The event stream of the administration: what it sends, where it resumes, and how it ends.
import { createSseDecoder, type SseEvent } from "@lethe/protocol";
import type { RouteStream, StreamedAnswer } from "@lethe/server/edge";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { emptyGatewayView } from "../../testing/empty-view.ts";
import { type Operated, operate } from "../../testing/operated.ts";
import { ci, keys, useTwoUpstreams } from "../../testing/two-upstreams.ts";
import { noCounts } from "../observe/duration-counts.ts";
import { createExchangeRing } from "../observe/exchange-ring.ts";
import { createLogTail } from "../observe/log-tail.ts";
import { createRedactor } from "../observe/redact.ts";
import { createTraffic } from "../observe/traffic.ts";
import { AdminEvents } from "./admin-events.ts";
import type { Overview } from "./api/overview.ts";
import { createRingReader } from "./exchange-reader.ts";

const fixture = useTwoUpstreams();
const record = { time: new Date(0), endpoint: "/mcp", method: "tools/call", ms: 1, outcome: "complete" };

interface Listening {
  readonly events: SseEvent[];
  /** The exchanges received so far, as [name of the tool, id of the event]. */
  readonly calls: () => unknown[][];
  readonly ended: Promise<void>;
  stop(): void;
}

async function listen(gateway: Operated, query = "", headers: Record<string, string> = {}): Promise<Listening> {
  const abort = new AbortController();
  const url = new URL(`/admin/v1/events${query}`, gateway.served.adminUrl);
  const response = await fetch(url, { headers, signal: abort.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events: SseEvent[] = [];
  const decoder = createSseDecoder();
  async function read(): Promise<void> {
    const text = new TextDecoder();
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      events.push(...decoder.push(text.decode(piece, { stream: true })));
    }
  }
  const ended = read().catch(() => {});
  const calls = () =>
    events.filter(({ event }) => event === "exchange").map(({ data, id }) => [JSON.parse(data).name, id]);
  return { events, calls, ended, stop: () => abort.abort() };
}

const dataOf = (events: readonly SseEvent[], event: string) =>
  events.filter((one) => one.event === event).map(({ data }) => JSON.parse(data));

describe("GET /admin/v1/events", () => {
  it("sends the state at once, and each request when it has ended", async () => {
    await using gateway = await operate(fixture.documentOf());
    const listening = await listen(gateway, "?method=tools/call");
    await expect.poll(() => dataOf(listening.events, "upstreams")).toHaveLength(1);
    expect(dataOf(listening.events, "state")[0]).toMatchObject({ upstreams: { ready: 2 } });
    expect(dataOf(listening.events, "upstreams")[0]).toMatchObject({
      upstreams: [{ name: "gh" }, { name: "fs" }],
      removed: [],
    });
    await gateway.ask("tools/call", { name: "gh__read" });
    await expect.poll(listening.calls).toEqual([["gh__read", expect.stringMatching(/^[0-9a-f]{8}\.\d+\.\d+$/)]]);
    listening.stop();
  });

  it("continues after the last event that a client received", async () => {
    await using gateway = await operate(fixture.documentOf());
    for (const name of ["gh__read", "fs__read", "gh__write"]) await gateway.ask("tools/call", { name });
    const first = await listen(gateway, "?method=tools/call");
    await expect.poll(first.calls).toHaveLength(3);
    first.stop();
    const [, [, id] = []] = first.calls();
    const second = await listen(gateway, "?method=tools/call", { "last-event-id": String(id) });
    await expect.poll(second.calls).toEqual([first.calls()[2]]);
    second.stop();
  });

  it("says how many requests a client missed that are no longer kept", async () => {
    await using gateway = await operate(fixture.documentOf({ admin: { exchanges: 2 } }));
    const first = await listen(gateway);
    await gateway.ask("tools/call", { name: "gh__read" });
    await expect.poll(first.calls).toHaveLength(1);
    first.stop();
    for (let count = 0; count < 5; count += 1) await gateway.ask("tools/call", { name: "gh__read" });
    const second = await listen(gateway, "", { "last-event-id": String(first.calls()[0]?.[1]) });
    await expect.poll(second.calls).toHaveLength(2);
    expect(dataOf(second.events, "gap")).toEqual([{ missed: 3, replica: expect.stringMatching(/^[0-9a-f]{8}$/) }]);
    second.stop();
  });

  it("is closed to callers without the key", async () => {
    await using gateway = await operate(
      fixture.documentOf({ auth: { keys }, admin: { key: "key-of-admin-0123456789" } }),
    );
    const url = new URL("/admin/v1/events", gateway.served.adminUrl);
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Bearer ${ci}` } })).status).toBe(401);
    const listening = await listen(gateway, "", { authorization: "Bearer key-of-admin-0123456789" });
    listening.stop();
  });

  it("refuses a ninth stream, and accepts another after one has ended", async () => {
    await using gateway = await operate(fixture.documentOf());
    const streams = await Promise.all(Array.from({ length: 8 }, () => listen(gateway)));
    const url = new URL("/admin/v1/events", gateway.served.adminUrl);
    expect((await fetch(url)).status).toBe(503);
    streams[0]?.stop();
    await expect
      .poll(async () => {
        const abort = new AbortController();
        const { status } = await fetch(url, { signal: abort.signal });
        abort.abort();
        return status;
      })
      .toBe(200);
    for (const stream of streams) stream.stop();
  });

  it("ends when the configuration is reloaded and when the gateway stops, without delaying it", async () => {
    const gateway = await operate(fixture.documentOf());
    const first = await listen(gateway);
    gateway.write(fixture.documentOf({ admin: { exchanges: 3 } }));
    await gateway.served.reload();
    await first.ended;
    const second = await listen(gateway);
    const stopped = gateway[Symbol.asyncDispose]();
    await second.ended;
    await stopped;
  });
});

it("serializes an exchange once for all streams, and again after others took its place", () => {
  const ring = createExchangeRing(1_000, createRedactor([]));
  const reader = createRingReader(ring, "a1b2c3d4");
  ring.add({ ...record, name: "first" });
  const [first] = reader.read(-1, {}).exchanges;
  expect(JSON.parse(first?.text ?? "")).toMatchObject({ id: "a1b2c3d4-0", name: "first" });
  expect(reader.read(-1, {}).exchanges[0]).toBe(first);
  for (let count = 0; count < 256; count += 1) ring.add(record);
  reader.read(0, { limit: 256 });
  expect(reader.read(-1, { limit: 1 }).exchanges[0]?.exchange).toEqual(first?.exchange);
});

describe("a client that reads too slowly", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("gets at most 1 MiB ahead, then a gap and the whole state", async () => {
    const exchanges = createExchangeRing(10, createRedactor([]));
    const sent: string[] = [];
    let buffered = 0;
    let drain = (): void => {};
    let leave = (): void => {};
    const stream: RouteStream = {
      get bufferedBytes() {
        return buffered;
      },
      send(text) {
        sent.push(text);
        buffered += text.length;
      },
      drained: () =>
        new Promise((resolve) => {
          drain = () => {
            buffered = 0;
            resolve();
          };
        }),
      onAbort(callback) {
        leave = callback;
      },
      end() {},
    };
    const events = new AdminEvents({
      ...{
        replica: "a1b2c3d4",
        exchanges,
        log: createLogTail(),
        traffic: createTraffic(),
        watching: { follow: () => () => {} },
      },
      replicas: { names: [], ask: () => Promise.reject(new Error("there is no other replica")) },
      onFailed: () => {},
      own: () => ({
        overview: { sessions: sent.length, total: { requests: 0, errors: 0 } } as Overview,
        view: emptyGatewayView,
        recent: () => noCounts,
      }),
    });
    (events.respond({}, undefined) as StreamedAnswer).stream(stream);
    const long = "x".repeat(28_000);
    for (let count = 0; count < 100; count += 1) {
      exchanges.add({ ...record, name: `${count} ${long}` });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(5_000);
    expect(buffered).toBeLessThan(1_200_000);
    const states = sent.filter((text) => text.includes("event: state")).length;
    drain();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.filter((text) => text.includes("event: gap"))).toHaveLength(1);
    expect(sent.at(-1)).toContain("event: upstreams");
    expect(sent.filter((text) => text.includes("event: state"))).toHaveLength(states + 1);
    leave();
    expect(vi.getTimerCount()).toBe(0);
  });
});
