// What operators get to know of requests, and what they do not.
import { type Dispatch, McpError, type ModernRequest, metaKey, processMemory, type Result } from "@lethe/protocol";
import { ReplicaError } from "@lethe/server/stores";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { usedBytes } from "../../../../protocol/src/testing/held-bytes.ts";
import { type Recorded, type RequestRecord, watchRequests } from "../../edge/request-record.ts";
import { emptyGatewayView } from "../../testing/empty-view.ts";
import { createExchangeRing } from "./exchange-ring.ts";
import { createLog, type LogEntry, toJsonLine, toTextLine } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createRedactor } from "./redact.ts";
import { findTelemetryApi } from "./telemetry-api.ts";

function requestOf(method: string, params: object = {}): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
  return { id: 1, method, params: { ...params, _meta } } as ModernRequest;
}

const record: RequestRecord = {
  time: new Date("2026-11-21T00:00:00.000Z"),
  endpoint: "/mcp",
  method: "tools/call",
  name: "gh__read",
  upstream: "gh",
  caller: "key ci",
  ms: 12,
  outcome: "complete",
};

describe("request records", () => {
  async function watch(dispatch: Dispatch, request: ModernRequest, keepsBodies = false) {
    const done = vi.fn<(record: RequestRecord, recorded: Recorded | undefined) => void>();
    const watcher = watchRequests({
      endpoint: "/mcp",
      upstreamOf: (_method, name) => name?.split("__")[0],
      onDone: done,
      record: () => ({ keepsBodies }),
    });
    const exchange = { caller: { id: "key ci" } } as Parameters<Dispatch>[1];
    await watcher(dispatch)(request, exchange).catch(() => {});
    const [made, recorded] = done.mock.calls[0] as [RequestRecord, Recorded];
    return [made, recorded.bodies] as const;
  }

  const call = requestOf("tools/call", { name: "gh__read", arguments: { password: "x" } });

  it("records caller, target and outcome of a request without its arguments", async () => {
    const [made, bodies] = await watch(async () => ({ resultType: "complete", content: [] }), call);
    expect(made).toEqual({ ...record, time: expect.any(Date), ms: expect.any(Number) });
    expect(bodies).toBeUndefined();
  });

  it.each<[string, () => Promise<Result>, Partial<RequestRecord>]>([
    ["a tool's own error", async () => ({ resultType: "complete", isError: true }), { outcome: "tool_error" }],
    ["a result with input requests", async () => ({ resultType: "input_required" }), { outcome: "input_required" }],
    ["an error", () => Promise.reject(new McpError(-32602, "no")), { outcome: "error", code: -32602 }],
    ["a failure", () => Promise.reject(new Error("no")), { outcome: "error", code: -32603 }],
  ])("records the outcome of %s", async (_name, dispatch, expected) => {
    expect((await watch(dispatch, call))[0]).toMatchObject(expected);
  });

  it("records and counts by reason a request that failed at another replica", async () => {
    const metrics = createMetrics();
    for (const reason of ["unavailable", "lost", "lost"] as const) {
      const cause = new ReplicaError(reason, "has failed");
      const dispatch = () => Promise.reject(new McpError(-32603, "no", { data: { reason }, cause }));
      const [made] = await watch(dispatch, call);
      expect(made.replicaFailure).toBe(reason);
      metrics.observe(made);
    }
    const text = await metrics.text(emptyGatewayView);
    expect(text).toContain('lethe_shared_failures_total{reason="unavailable"} 1');
    expect(text).toContain('lethe_shared_failures_total{reason="lost"} 2');
  });

  it.each([
    ["lost", 'npx "x" exited with code 1', 'npx "x" exited with code 1'],
    ["invalid", 'got status 200, text/html, "my \\"own\\" text" and "mo', 'got status 200, text/html, "…" and "…"'],
    ["timeout", undefined, undefined],
  ])("records why an upstream failed (%s) without text of its answer", async (reason, seen, detail) => {
    const cause = seen === undefined ? undefined : new Error(seen);
    const failure = new McpError(-32603, "no", { data: { reason, upstream: "gh" }, cause });
    const [made] = await watch(() => Promise.reject(failure), call);
    expect([made.code, made.reason, made.detail]).toEqual([-32603, reason, detail]);
  });

  it("records request and result bodies if configured", async () => {
    const [, bodies] = await watch(async () => ({ resultType: "complete", a: 1 }), call, true);
    expect(bodies).toEqual({ params: call.params, result: { resultType: "complete", a: 1 } });
  });

  it("truncates names that a client invents", async () => {
    const [made] = await watch(async () => ({ resultType: "complete" }), requestOf("x".repeat(1_000)));
    expect(made.method).toHaveLength(257);
  });
});

describe("redaction of records", () => {
  const redactor = createRedactor(["token-of-ci", "token-of-ci-2"]);

  it.each([
    ["failed with token-of-ci-2!", "failed with ***!"],
    ["Authorization: Bearer abcdef123456", "Authorization: Bearer ***"],
    ["https://me:pass@host/x?api_key=abc&b=1", "https://***@host/x?api_key=***&b=1"],
    ["got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "got ***"],
    ["OPENAI sk-abcdefghijklmnop, GitHub ghp_abcdefghijklmnop", "OPENAI ***, GitHub ***"],
    ["started with --api-key abc123", "started with --api-key ***"],
    ['sent {"client_secret":"abc"}', 'sent {"client_secret":"***"}'],
    ["-----BEGIN PRIVATE KEY-----\nMIIE\n-----END", "-----BEGIN PRIVATE KEY-----***-----END"],
    ["nothing to hide", "nothing to hide"],
  ])('redacts the text "%s"', (text, expected) => {
    expect(redactor.text(text)).toBe(expected);
  });

  it("masks secrets by name and by value at any depth", () => {
    const value = {
      a: [{ password: "x", note: "token-of-ci" }],
      api_key: 1,
      private_key: "y",
      progressToken: { kept: true },
    };
    expect(redactor.value(value)).toEqual({
      a: [{ password: "***", note: "***" }],
      api_key: "***",
      private_key: "***",
      progressToken: { kept: true },
    });
  });

  it("masks sealed tokens and session handles by name and by form", () => {
    const token = `1.k1.${"A1-_".repeat(30)}`;
    const value = {
      params: { requestState: token, taskId: "anything", arguments: { gateway_session: "handle", state: token } },
      result: {
        requestState: "of another form",
        taskIds: [token],
        content: [{ text: "gateway_session: h1 (pass it on)" }],
      },
    };
    expect(redactor.value(value)).toEqual({
      params: { requestState: "***", taskId: "***", arguments: { gateway_session: "***", state: "***" } },
      result: { requestState: "***", taskIds: ["***"], content: [{ text: "gateway_session: *** (pass it on)" }] },
    });
    expect(redactor.text("version 1.2.3 of 1.0.0-alpha")).toBe("version 1.2.3 of 1.0.0-alpha");
  });

  it("omits values that are nested too deep", () => {
    const nested = (depth: number): unknown => (depth === 0 ? "token-of-ci" : [nested(depth - 1)]);
    expect(JSON.stringify(redactor.value(nested(11)))).toContain('"***"');
    expect(JSON.stringify(redactor.value(nested(13)))).toContain('"…"');
    expect(() => redactor.value(nested(5_000))).not.toThrow();
  });

  it("leaves no part of a secret where a text is truncated", () => {
    const text = `${"x".repeat(4_090)}token-of-ci`;
    expect(redactor.value(text)).toBe(`${"x".repeat(4_090)}***`);
    expect(String(redactor.value(`${text}${"y".repeat(100)}`))).toHaveLength(4_097);
  });

  it("searches a text once for any number of secrets", () => {
    const many = createRedactor(Array.from({ length: 500 }, (_, index) => `token-of-${index}!`));
    const searches = (["replaceAll", "includes", "indexOf"] as const).map((name) => vi.spyOn(String.prototype, name));
    const masked = many.text("failed with token-of-499! and token-of-0!");
    const count = searches.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const search of searches) search.mockRestore();
    expect(masked).toBe("failed with *** and ***");
    expect(count).toBeLessThan(10);
  });

  it("searches only the part of a long text that it shows", () => {
    const text = vi.spyOn(String.prototype, "replace");
    expect(redactor.value(`token-of-ci${"x".repeat(10_000_000)}`)).toBe(`***${"x".repeat(4_093)}…`);
    expect(Math.max(...text.mock.contexts.map((searched) => String(searched).length))).toBeLessThan(100_000);
    text.mockRestore();
    // Hardly anything else: what shows would be where the search ended.
    const long = "s".repeat(99);
    expect(createRedactor([`${long}!`]).value(`${long}!`.repeat(1_000))).toBe("***…");
  });

  it("estimates the length of a redacted copy without making it", () => {
    const body = { content: [{ type: "text", text: "x".repeat(1_000_000) }], rest: Array(50).fill({ a: 1 }) };
    const { length } = JSON.stringify(redactor.value(body));
    expect(redactor.isLongerThan(length * 1.2, body)).toBe(false);
    expect(redactor.isLongerThan(length * 0.8, body)).toBe(true);
    let asked = 0;
    const long = {
      list: Array.from({ length: 100_000 }, () => ({
        get a() {
          asked += 1;
          return 1;
        },
      })),
    };
    expect(redactor.isLongerThan(1_000, long)).toBe(true);
    expect(asked).toBeLessThan(1_000);
  });

  it("never shows a known secret in any surrounding text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (before, after, json) => {
        const value = { before: `${before}token-of-ci${after}`, json, [after]: ["token-of-ci"] };
        expect(JSON.stringify(redactor.value(value))).not.toContain("token-of-ci");
      }),
    );
  });
});

describe("the ring of exchanges", () => {
  const redactor = createRedactor(["hidden"]);

  it("keeps the last exchanges, newest first", () => {
    const ring = createExchangeRing(3, redactor);
    for (let ms = 0; ms < 5; ms += 1) ring.add({ ...record, ms });
    expect(ring.list().map(({ id, record: { ms } }) => [id, ms])).toEqual([
      [4, 4],
      [3, 3],
      [2, 2],
    ]);
    expect(ring.list({ after: 3 })).toHaveLength(1);
    expect(ring.list({ limit: 2 })).toHaveLength(2);
  });

  it("finds exchanges by the members of their record", () => {
    const ring = createExchangeRing(10, redactor);
    ring.add(record);
    ring.add({ ...record, upstream: "fs", outcome: "error", caller: "key b", method: "tools/list" });
    expect(ring.list({ upstream: "fs" })).toHaveLength(1);
    expect(ring.list({ caller: "key ci" })).toHaveLength(1);
    expect(ring.list({ method: "tools/list", outcome: "error" })).toHaveLength(1);
    expect(ring.list({ upstream: "fs", caller: "key ci" })).toEqual([]);
  });

  it("masks and limits the bodies of exchanges", () => {
    const ring = createExchangeRing(2, redactor);
    ring.add(record, { params: { a: "hidden" }, result: { text: Array(100).fill("y".repeat(4_000)) } });
    expect(ring.list()[0]?.bodies).toEqual({ params: { a: "***" }, result: "left out: more than 32768 characters" });
  });

  it("keeps every record and the newest bodies that fit", () => {
    const ring = createExchangeRing(4, redactor, 2_500);
    for (let ms = 0; ms < 7; ms += 1) ring.add({ ...record, ms }, { params: { text: "x".repeat(1_000) } });
    expect(ring.list().map(({ record: { ms }, bodies }) => [ms, bodies !== undefined])).toEqual([
      [6, true],
      [5, true],
      [4, false],
      [3, false],
    ]);
    ring.add(record, { params: { text: "x".repeat(3_000) } });
    expect(ring.list()[0]).toEqual({ id: 7, record });
    ring.add(record, { params: 1 });
    expect(ring.list()[0]?.bodies).toEqual({ params: 1 });
  });

  it("keeps only the shown part of a long text", async () => {
    const ring = createExchangeRing(100, redactor);
    const before = await usedBytes();
    for (let count = 0; count < 100; count += 1) {
      ring.add(record, { params: { text: `${count}`.padEnd(100_000, "x") } });
    }
    const kept = (await usedBytes()) - before;
    expect(ring.list()).toHaveLength(100);
    expect(kept).toBeLessThan(100 * 10_000);
  });

  it("keeps no exchanges with capacity 0", () => {
    const ring = createExchangeRing(0, redactor);
    ring.add(record);
    expect(ring.list()).toEqual([]);
  });
});

describe("the log of the gateway", () => {
  function logged(write: Parameters<typeof createLog>[0]) {
    return createLog(write, createRedactor(["hidden"]));
  }

  it("logs one entry per event with masked secrets", () => {
    const sink = vi.fn<(entry: LogEntry) => void>();
    logged(sink).warn("upstream.failed", "gh: hidden is wrong", { upstream: "gh", reason: undefined, note: "hidden" });
    expect(sink).toHaveBeenCalledExactlyOnceWith({
      time: expect.any(String),
      level: "warn",
      event: "upstream.failed",
      message: "gh: *** is wrong",
      upstream: "gh",
      note: "***",
    });
  });

  it("writes each log entry as one line of JSON or text", () => {
    const entry: LogEntry = { time: "T", level: "info", event: "request", message: "a\nb", name: "x y", ms: 1 };
    expect(JSON.parse(toJsonLine(entry))).toEqual(entry);
    expect(toTextLine(entry)).toBe('T INFO  request a\\nb name="x y" ms=1\n');
    const forged = { ...entry, message: "a\r\u001b[2KT INFO", name: "b\u009b2K\u2028c" };
    expect(toTextLine(forged)).toBe('T INFO  request a\\r\\u001b[2KT INFO name="b\\u009b2K\\u2028c" ms=1\n');
  });
});

describe("metrics of the gateway", () => {
  const upstream = {
    kind: "stdio",
    target: "x",
    warnings: [],
    problems: [],
    tools: 1,
    prompts: 0,
    resources: 0,
    sessionsLost: { upstream_restarted: 2 },
  } as const;
  const view = {
    ...emptyGatewayView,
    upstreams: [
      { ...upstream, name: "gh", state: "ready" as const, failures: 0, sessions: 2, waiting: 1, pending: 3, tasks: 5 },
      { ...upstream, name: "fs", state: "failed" as const, failures: 4, sessions: 0, waiting: 0, pending: 0, tasks: 0 },
    ],
  };

  it("shows a stateless upstream whose requests fail as down, although it has no connection that was lost", async () => {
    const [ready] = view.upstreams;
    const text = await createMetrics().text({ ...view, upstreams: [{ ...ready, failures: 3 } as never] });
    expect(text).toContain('lethe_upstream_up{upstream="gh"} 0\n');
  });

  it("counts requests by method, upstream and outcome, and shows the state of the given view", async () => {
    const metrics = createMetrics();
    metrics.observe(record);
    metrics.observe({ ...record, outcome: "error" });
    metrics.observe({ ...record, method: "subscriptions/listen", ms: 3_600_000 });
    metrics.refused();
    metrics.reloaded("refused");
    const text = await metrics.text(view);
    for (const line of [
      'lethe_requests_total{method="tools/call",upstream="gh",outcome="complete"} 1',
      'lethe_requests_total{method="tools/call",upstream="gh",outcome="error"} 1',
      'lethe_request_duration_seconds_bucket{le="0.025",method="tools/call",upstream="gh"} 2',
      'lethe_request_duration_seconds_count{method="tools/call",upstream="gh"} 2',
      "lethe_refused_total 1",
      'lethe_config_reloads_total{outcome="refused"} 1',
      'lethe_upstream_up{upstream="gh"} 1',
      'lethe_upstream_up{upstream="fs"} 0',
      'lethe_upstream_failures{upstream="fs"} 4',
      'lethe_sessions{upstream="gh"} 2',
      'lethe_sessions_lost_total{upstream="gh",cause="upstream_restarted"} 2',
      'lethe_waiting_requests{upstream="gh"} 1',
      'lethe_pending_calls{upstream="gh"} 3',
      'lethe_tasks{upstream="gh"} 5',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).not.toContain('subscriptions/listen",upstream="gh"} 3600');
    expect(text).toContain("process_resident_memory_bytes");
  });

  it("shows the memory held for peers, and how often memory was refused or dropped", async () => {
    const holding = processMemory.hold("answers");
    holding.set(12_345);
    const text = await createMetrics().text(view);
    holding.release();
    for (const line of [
      'lethe_memory_held_bytes{kind="answers"} 12345',
      'lethe_memory_held_bytes{kind="calls"} 0',
      `lethe_memory_limit_bytes{mark="hard"} ${processMemory.hardBytes}`,
      `lethe_memory_refused_total ${processMemory.refusedCount}`,
      `lethe_memory_dropped_total ${processMemory.droppedCount}`,
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it("drops the gauges of a removed upstream", async () => {
    const metrics = createMetrics();
    expect(await metrics.text(view)).toContain('lethe_sessions{upstream="gh"} 2');
    expect(await metrics.text({ ...view, upstreams: view.upstreams.slice(1) })).not.toContain('upstream="gh"');
  });

  it("never uses a method name made up by a client as a label", async () => {
    const metrics = createMetrics();
    metrics.observe({ ...record, method: "made/up" });
    expect(await metrics.text(view)).toContain(
      'lethe_requests_total{method="other",upstream="gh",outcome="complete"} 1',
    );
  });
});

describe("the metrics of relayed requests", () => {
  it("name the first 20 revisions, and count further ones together", async () => {
    const metrics = createMetrics();
    for (let year = 2030; year < 2053; year++) metrics.observe({ ...record, revision: `${year}-01-01` });
    const text = await metrics.text(emptyGatewayView);
    const counts = [...text.matchAll(/^lethe_requests_total\{.*revision="(.*)"\} (\d+)$/gm)];
    expect(counts.map(([, revision]) => revision).slice(-2)).toEqual(["2049-01-01", "other"]);
    expect(counts.at(-1)?.[2]).toBe("3");
  });
});

describe("OpenTelemetry in the gateway", () => {
  const key = Symbol.for("opentelemetry.js.api.1");
  const global = globalThis as Record<symbol, unknown>;
  const before = global[key];
  const problems: string[] = [];
  const find = (load: () => Promise<unknown>) =>
    findTelemetryApi({ load, onProblem: (problem) => problems.push(problem) });

  beforeEach(() => {
    problems.length = 0;
  });
  afterEach(() => {
    if (before === undefined) delete global[key];
    else global[key] = before;
  });

  it("does not use OpenTelemetry until an SDK has registered itself", async () => {
    const trace = {};
    const api = { trace: { getTracerProvider: () => trace } };
    delete global[key];
    expect(await find(() => expect.unreachable())).toBeUndefined();
    global[key] = { trace };
    expect(await find(async () => api)).toBe(api);
    expect(problems).toEqual([]);
  });

  it("reports that OpenTelemetry gets nothing if its API is missing or not the SDK's", async () => {
    global[key] = { version: "1.9.1", trace: {} };
    expect(await find(async () => ({ trace: { getTracerProvider: () => ({}) } }))).toBeUndefined();
    expect(problems[0]).toContain("for version 1.9.1 of its API");
    expect(await find(() => Promise.reject(new Error("Cannot find package")))).toBeUndefined();
    expect(problems[1]).toContain("Cannot find package");
  });
});
