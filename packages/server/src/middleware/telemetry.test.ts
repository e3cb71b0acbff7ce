// Spans and metrics through the real @opentelemetry/api, with providers that record all calls.
import { AsyncLocalStorage } from "node:async_hooks";
import { type Dispatch, invalidParams, methodNotFound } from "@lethe/protocol";
import * as api from "@opentelemetry/api";
import { afterAll, beforeEach, expect, test } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { telemetry } from "./telemetry.ts";

interface RecordedSpan {
  name: string;
  options: api.SpanOptions;
  parentId: string | undefined;
  attributes: api.Attributes;
  status: api.SpanStatusCode;
  exceptions: unknown[];
  isEnded: boolean;
}

const spans: RecordedSpan[] = [];
const measured: { name: string; value: number; attributes: api.Attributes | undefined }[] = [];

function startSpan(name: string, options: api.SpanOptions = {}, context = api.context.active()): api.Span {
  const span: RecordedSpan = {
    name,
    options,
    parentId: api.trace.getSpanContext(context)?.spanId,
    attributes: { ...options.attributes },
    status: api.SpanStatusCode.UNSET,
    exceptions: [],
    isEnded: false,
  };
  spans.push(span);
  const id = String(spans.length).padStart(16, "0");
  return {
    spanContext: () => ({ traceId: "a".repeat(32), spanId: id, traceFlags: 1 }),
    setAttributes: (attributes: api.Attributes) => Object.assign(span.attributes, attributes),
    setStatus: ({ code }: api.SpanStatus) => {
      span.status = code;
    },
    recordException: (exception: unknown) => span.exceptions.push(exception),
    end: () => {
      span.isEnded = true;
    },
  } as unknown as api.Span;
}

function instrument(name: string) {
  const take = (value: number, attributes?: api.Attributes) => measured.push({ name, value, attributes });
  return { add: take, record: take };
}

const contexts = new AsyncLocalStorage<api.Context>();

api.trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as api.Tracer });
api.metrics.setGlobalMeterProvider({
  getMeter: () => ({ createHistogram: instrument, createUpDownCounter: instrument }) as unknown as api.Meter,
});
api.context.setGlobalContextManager({
  active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
  with: (context, run, thisArg, ...args) => contexts.run(context, () => run.apply(thisArg, args)),
  bind: (_, target) => target,
  enable() {
    return this;
  },
  disable() {
    return this;
  },
});
api.propagation.setGlobalPropagator({
  inject: () => {},
  fields: () => ["traceparent"],
  extract: (context, carrier, getter) => {
    const [, traceId, spanId] = /^00-(\w{32})-(\w{16})-01$/.exec(String(getter.get(carrier, "traceparent"))) ?? [];
    if (traceId === undefined || spanId === undefined) return context;
    return api.trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
});

beforeEach(() => {
  spans.length = 0;
  measured.length = 0;
});
afterAll(() => {
  api.trace.disable();
  api.metrics.disable();
  api.context.disable();
  api.propagation.disable();
});

const complete: Dispatch = async () => ({ resultType: "complete" });
const traceparent = `00-${"b".repeat(32)}-${"c".repeat(16)}-01`;

function run(next: Dispatch, request: ReturnType<typeof requestOf>) {
  return telemetry({ api })(next)(request, new RecordingExchange());
}

/** A request that names a parent in its `_meta`. */
function traced(value: unknown) {
  const request = requestOf("tools/call", { name: "add" });
  Object.assign(request.params._meta, { traceparent: value });
  return request;
}

test("records a call as a server span named by method and tool, with its duration and an in-flight count", async () => {
  await run(complete, requestOf("tools/call", { name: "add", arguments: { secret: 1 } }, { id: 5 }));
  expect(spans).toMatchObject([
    {
      name: "tools/call add",
      options: { kind: api.SpanKind.SERVER },
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "add",
        "mcp.protocol.version": "2026-07-28",
        "jsonrpc.request.id": "5",
      },
      status: api.SpanStatusCode.UNSET,
      isEnded: true,
    },
  ]);
  expect(JSON.stringify(spans)).not.toContain("secret");
  expect(measured).toEqual([
    { name: "mcp.server.active_requests", value: 1, attributes: {} },
    { name: "mcp.server.active_requests", value: -1, attributes: {} },
    {
      name: "mcp.server.operation.duration",
      value: expect.any(Number),
      attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "add" },
    },
  ]);
});

test("uses the traceparent of the request as the parent of the span (H-1)", async () => {
  await run(complete, traced(traceparent));
  expect(spans[0]).toMatchObject({ parentId: "c".repeat(16), options: { links: [] } });
});

test("prefers the parent in _meta to the span of the HTTP request, which becomes a link (H-3)", async () => {
  const hop = startSpan("POST /mcp");
  await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, hop), () => run(complete, traced(traceparent)));
  expect(spans[1]).toMatchObject({ parentId: "c".repeat(16), options: { links: [{ context: hop.spanContext() }] } });
});

test("uses the traceparent header of HTTP where neither `_meta` nor an HTTP span names a parent (H-3)", async () => {
  const exchange = new RecordingExchange(undefined, { traceparent });
  await telemetry({ api })(complete)(requestOf("tools/call", { name: "add" }), exchange);
  expect(spans[0]).toMatchObject({
    parentId: "c".repeat(16),
    attributes: {
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "gen_ai.operation.name": "execute_tool",
    },
  });
  const hop = startSpan("POST /mcp");
  await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, hop), () =>
    telemetry({ api })(complete)(requestOf("tools/call", { name: "add" }), exchange),
  );
  expect(spans[2]).toMatchObject({ parentId: hop.spanContext().spanId });
});

test.each(["junk", "", 5, null])("ignores the invalid traceparent %j (H-2)", async (value) => {
  const hop = startSpan("POST /mcp");
  await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, hop), () => run(complete, traced(value)));
  expect(spans[1]).toMatchObject({ parentId: hop.spanContext().spanId, options: { links: [] } });
});

test("makes spans started by a handler children of the request's span", async () => {
  await run(
    async () => {
      await Promise.resolve();
      startSpan("query");
      return { resultType: "complete" };
    },
    requestOf("tools/call", { name: "add" }),
  );
  expect(spans[1]).toMatchObject({ name: "query", parentId: "0000000000000001" });
});

test("distinguishes a failed tool, an error and a crash", async () => {
  await run(async () => ({ resultType: "complete", isError: true }), requestOf("tools/call", { name: "add" }));
  await run(() => Promise.reject(invalidParams("x")), requestOf("tools/call", { name: "add" })).catch(() => {});
  const crash = new Error("x");
  await run(() => Promise.reject(crash), requestOf("tools/call", { name: "add" })).catch(() => {});
  expect(spans.map(({ attributes, exceptions }) => [attributes["error.type"], exceptions])).toEqual([
    ["tool_error", []],
    ["-32602", []],
    ["-32603", [crash]],
  ]);
  expect(new Set(spans.map(({ status }) => status))).toEqual(new Set([api.SpanStatusCode.ERROR]));
});

test("metrics contain no value that an arbitrary client controls", async () => {
  await run(() => Promise.reject(methodNotFound("x")), requestOf("x")).catch(() => {});
  await run(() => Promise.reject(invalidParams("x")), requestOf("tools/call", { name: "y" })).catch(() => {});
  await run(complete, requestOf("resources/read", { uri: "test://z" }));
  const durations = measured.filter(({ name }) => name === "mcp.server.operation.duration");
  expect(durations.map(({ attributes }) => attributes)).toEqual([
    { "mcp.method.name": "_OTHER", "error.type": "-32601", "rpc.response.status_code": "-32601" },
    { "mcp.method.name": "tools/call", "error.type": "-32602", "rpc.response.status_code": "-32602" },
    { "mcp.method.name": "resources/read" },
  ]);
});

test("records no span for a subscription", async () => {
  await run(complete, requestOf("subscriptions/listen"));
  expect([spans, measured]).toEqual([[], []]);
});
