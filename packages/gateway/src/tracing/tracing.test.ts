// Spans of the gateway with the real SDK, in memory.
import { TransportError } from "@lethe/client";
import { McpError, type ModernRequest, type Result } from "@lethe/protocol";
import * as otel from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { beforeEach, expect, test } from "vitest";
import { done, requestOf } from "../testing/fakes.ts";
import type { TelemetryApi } from "./trace-link.ts";
import { createTracing, spanIdsOf } from "./tracing.ts";
import type { UpstreamRoute } from "./upstream-spans.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const contexts = new AsyncLocalStorageContextManager().enable();
const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
const api = {
  context: {
    active: () => contexts.active(),
    with: (context: otel.Context, run: () => unknown) => contexts.with(context, run),
  },
  propagation: new CompositePropagator({ propagators }),
  trace: { ...otel.trace, getTracer: (name: string) => provider.getTracer(name), setSpan: otel.trace.setSpan },
  metrics: otel.metrics,
} as unknown as TelemetryApi;
const tracing = createTracing(api);
const route: UpstreamRoute = {
  ...{ upstream: "shop", kind: "http", url: "https://shop.example/mcp" },
  ...{ session: "0123456789abcdef", revision: "2025-11-25", isResumed: false },
};
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

beforeEach(() => exporter.reset());

function spanOf(name: string) {
  const span = exporter.getFinishedSpans().find((finished) => finished.name === name);
  if (!span) throw new Error(`no span ${name}`);
  const { spanId, traceId } = span.spanContext();
  return {
    ...span,
    attributes: span.attributes,
    status: span.status,
    spanId,
    traceId,
    parentId: span.parentSpanContext?.spanId,
  };
}

test("a request to an upstream has a client span, whose context the upstream receives in `_meta`", async () => {
  let sent: ModernRequest | undefined;
  const request = requestOf(
    "tools/call",
    { name: "buy", arguments: { card: "4111" } },
    { meta: { baggage: "user=1" } },
  );
  await tracing.send(request, route, async (traced) => {
    sent = traced;
    return done;
  });
  const span = spanOf("tools/call buy");
  expect(sent?.params._meta.traceparent).toBe(`00-${span.traceId}-${span.spanId}-01`);
  expect(sent?.params._meta.baggage).toBe("user=1");
  expect(request.params._meta.traceparent).toBeUndefined();
  expect(span.kind).toBe(otel.SpanKind.CLIENT);
  expect(span.attributes).toEqual({
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2025-11-25",
    "mcp.session.id": "01234567",
    "gen_ai.tool.name": "buy",
    "gen_ai.operation.name": "execute_tool",
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "server.address": "shop.example",
    "server.port": 443,
    "lethe.upstream.name": "shop",
  });
});

test.each<[string, () => Promise<Result>, object, string | undefined]>([
  ["a tool's own error", async () => ({ ...done, isError: true }), { "error.type": "tool_error" }, undefined],
  [
    "a lost connection",
    () => Promise.reject(new TransportError("lost", "card 4111 is lost")),
    { "error.type": "lost", "lethe.reason": "lost" },
    "lost",
  ],
  [
    "an error with a reason",
    () => Promise.reject(new McpError(-32603, "card 4111 is bad", { data: { reason: "busy" } })),
    { "error.type": "-32603", "rpc.response.status_code": "-32603", "lethe.reason": "busy" },
    "busy",
  ],
])("the span of %s tells its reason and not its message", async (_, send, attributes, reason) => {
  await tracing.send(requestOf("tools/call", { name: "buy" }), route, send).catch(() => {});
  const span = spanOf("tools/call buy");
  expect(span.attributes).toMatchObject(attributes);
  expect(span.status).toEqual({ code: otel.SpanStatusCode.ERROR, ...(reason !== undefined && { message: reason }) });
  expect(JSON.stringify([span.attributes, span.status, span.events])).not.toContain("4111");
});

test("a subscription has no span, because it lasts for hours", async () => {
  await tracing.send(requestOf("subscriptions/listen"), route, async () => done);
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test("a forwarded request is one trace over both replicas", async () => {
  const request = requestOf("tools/call", { name: "buy" }, { meta: { traceparent } });
  await tracing.replicas.receive(request, () =>
    tracing.replicas.forward(request, "abcd1234", (forwarded) =>
      contexts.with(otel.ROOT_CONTEXT, () =>
        tracing.replicas.receive(forwarded, () => tracing.send(forwarded, route, async () => done)),
      ),
    ),
  );
  const received = exporter.getFinishedSpans().filter(({ name }) => name === "receive from replica");
  const forward = spanOf("forward to replica");
  expect(forward.attributes).toEqual({ "lethe.replica.id": "abcd1234" });
  expect(received[0]?.parentSpanContext?.spanId).toBe(forward.spanId);
  expect(spanOf("tools/call buy")).toMatchObject({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    parentId: received[0]?.spanContext().spanId,
  });
});

test("a wait that ends without an answer is an error, and an answered one links to the round that brought it", async () => {
  const inputRequests = { q: { method: "elicitation/create" as const, params: { message: "Who?" } } } as never;
  tracing.startWait("shop", inputRequests).end();
  expect(spanOf("elicitation/create").status.code).toBe(otel.SpanStatusCode.ERROR);
  exporter.reset();
  const wait = tracing.startWait("shop", inputRequests);
  await tracing.replicas.receive(requestOf("tools/call"), async () => {
    wait.answered();
    return done;
  });
  wait.end();
  const answered = spanOf("elicitation/create");
  expect(answered.status.code).toBe(otel.SpanStatusCode.UNSET);
  expect(answered.links.map(({ context }) => context.spanId)).toEqual([spanOf("receive from replica").spanId]);
});

test("a round links to the round before by the name that the state of the call contains", async () => {
  let round: string | undefined;
  await tracing.replicas.receive(requestOf("tools/call"), async () => {
    round = tracing.current();
    expect(spanIdsOf(api)).toEqual({ trace_id: round?.slice(3, 35), span_id: round?.slice(36, 52) });
    return done;
  });
  exporter.reset();
  await tracing.replicas.receive(requestOf("tools/call"), async () => {
    tracing.link(String(round));
    tracing.link("of another format");
    return done;
  });
  expect(spanOf("receive from replica").links.map(({ context }) => context.spanId)).toEqual([round?.slice(36, 52)]);
  expect([tracing.current(), spanIdsOf(api)]).toEqual([undefined, undefined]);
});
