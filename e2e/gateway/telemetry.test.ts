// Traces, metrics and logs that a gateway exports over OTLP, by configuration alone.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { type RunningGateway, root, startGatewayWith } from "../processes/lethe.ts";
import { installPython } from "../programs/python.ts";
import { receiverPins, startOtlpGrpcReceiver, startSilentPort } from "./testing/otlp-grpc-receiver.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "./testing/otlp-receiver.ts";

let folder: string;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-telemetry-"));
});
afterEach(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

async function start(settings: object, env: Record<string, string> = {}): Promise<RunningGateway> {
  const file = join(folder, "lethe.json");
  const server = join(root, "e2e/servers/traced.mjs");
  const mcpServers = { traced: { command: process.execPath, args: [server] } };
  await writeFile(file, JSON.stringify({ mcpServers, gateway: { log: "json", ...settings } }));
  gateway = await startGatewayWith(env, file, "--port", "0");
  return gateway;
}

const { python = "", reason } = await installPython(receiverPins);
const receiverSkipped = reason === undefined ? "" : ` (skipped: ${reason})`;

const callerTrace = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const trace = { traceparent: `00-${callerTrace}-${callerSpan}-01` };
const [serverKind, clientKind, errorStatus] = [2, 3, 2];

async function call(url: string, tool: string, args = {}, options = {}): Promise<string> {
  const client = await connect(url, {
    elicit: () => ({ action: "accept", content: { name: "secret-word" } }),
  });
  const { content } = await client.callTool(`traced__${tool}`, args, options);
  await client.close();
  return (content[0] as { text: string }).text;
}

function environmentOf({ url }: OtlpReceiver): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc",
    OTEL_SERVICE_NAME: "shop-gateway",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  };
}

test("the variables of OpenTelemetry export both rounds of a call with an elicitation as one trace", async () => {
  await using receiver = await startOtlpReceiver();
  const { url } = await start({}, environmentOf(receiver));
  const heard = await call(url, "ask", {}, { trace });
  await gateway?.stop();
  const spans = receiver.spans.filter(({ traceId }) => traceId === callerTrace);
  const named = (name: string, kind: number) =>
    spans
      .filter((span) => span.name === name && span.kind === kind)
      .sort((one, other) => Number(one.startNano - other.startNano));
  const [first, second] = named("tools/call traced__ask", serverKind) as [ReceivedSpan, ReceivedSpan];
  const [sent, resumed] = named("tools/call ask", clientKind) as [ReceivedSpan, ReceivedSpan];
  const [wait] = named("elicitation/create", serverKind) as [ReceivedSpan];
  expect(spans).toHaveLength(5);
  expect([first.parentSpanId, second.parentSpanId]).toEqual([callerSpan, callerSpan]);
  expect([sent.parentSpanId, wait.parentSpanId, resumed.parentSpanId]).toEqual([
    first.spanId,
    first.spanId,
    second.spanId,
  ]);
  expect(heard).toBe(`00-${callerTrace}-${sent.spanId}-01`);
  // The wait lasts from the first round into the second, which links back.
  expect(wait.startNano >= first.startNano && wait.endNano >= second.startNano).toBe(true);
  expect(second.links).toEqual([{ traceId: callerTrace, spanId: first.spanId }]);
  expect(wait.links).toEqual([{ traceId: callerTrace, spanId: second.spanId }]);
  expect(first.attributes).toMatchObject({
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2026-07-28",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "traced__ask",
    "network.transport": "tcp",
    "lethe.upstream.name": "traced",
    "lethe.outcome": "input_required",
  });
  expect(second.attributes).toMatchObject({ "lethe.outcome": "complete" });
  expect(first.attributes["jsonrpc.request.id"]).not.toBe(second.attributes["jsonrpc.request.id"]);
  expect(first.attributes["lethe.call.id"]).toBe(second.attributes["lethe.call.id"]);
  expect(resumed.attributes).toMatchObject({
    "gen_ai.tool.name": "ask",
    "network.transport": "pipe",
    "mcp.protocol.version": "2025-11-25",
    "lethe.call.resumed": true,
  });
  expect(receiver.resource).toMatchObject({
    "service.name": "shop-gateway",
    "deployment.environment.name": "test",
  });
  expect(receiver.requests.every(({ authorization }) => authorization === "Bearer abc")).toBe(true);
});

test("log records and log lines name the span of their request, and contain no arguments", async () => {
  await using receiver = await startOtlpReceiver();
  const { url, output } = await start({}, environmentOf(receiver));
  await call(url, "ask", { note: "private-word" }, { trace });
  await gateway?.stop();
  const lines = output.stderr.split("\n").filter((line) => line.includes('"name":"traced__ask"'));
  const { trace_id, span_id } = JSON.parse(lines[0] ?? "{}");
  const [round] = receiver.spans.filter(({ name }) => name === "tools/call traced__ask");
  expect([trace_id, span_id]).toEqual([callerTrace, round?.spanId]);
  const records = receiver.logs.filter(({ attributes }) => attributes.name === "traced__ask");
  expect(records[0]).toMatchObject({
    severityText: "INFO",
    eventName: "request",
    traceId: callerTrace,
    spanId: round?.spanId,
    attributes: { upstream: "traced", outcome: "input_required" },
  });
  const everything = JSON.stringify([
    receiver.logs,
    receiver.metrics,
    receiver.spans.map(({ attributes }) => attributes),
  ]);
  expect(everything).not.toMatch(/private-word|secret-word/);
});

test("metrics are exported under their Prometheus names and by the conventions for MCP", async () => {
  await using receiver = await startOtlpReceiver();
  const { url } = await start({ telemetry: { endpoint: receiver.url, protocol: "http/json", signals: ["metrics"] } });
  await call(url, "trace");
  await call(url, "fail");
  await gateway?.stop();
  expect(receiver.requests.map(({ path }) => path)).toEqual(receiver.requests.map(() => "/v1/metrics"));
  const pointsOf = (metric: string) => receiver.metrics.findLast(({ name }) => name === metric)?.points ?? [];
  expect(pointsOf("lethe_tool_calls_total")).toContainEqual({
    attributes: { upstream: "traced", tool: "traced__trace", outcome: "complete" },
    value: 1,
  });
  const durations = pointsOf("mcp.client.operation.duration").map(({ attributes }) => attributes);
  expect(durations).toContainEqual({
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "fail",
    "error.type": "tool_error",
    "lethe.upstream.name": "traced",
  });
  const counts = pointsOf("lethe_request_duration_seconds").find(
    ({ attributes }) => attributes.method === "tools/call",
  );
  expect(counts?.value).toMatchObject({ count: 2 });
});

test("a failed call has a span with its error and its reason", async () => {
  await using receiver = await startOtlpReceiver();
  const telemetry = { endpoint: receiver.url, protocol: "http/json", signals: ["traces"] };
  const { url } = await start({ telemetry, policy: [{ effect: "allow", tools: ["trace"] }] });
  await expect(call(url, "ask")).rejects.toThrow();
  await gateway?.stop();
  const [span] = receiver.spans.filter(({ name }) => name === "tools/call traced__ask");
  expect(span?.status.code).toBe(errorStatus);
  expect(span?.attributes).toMatchObject({
    "error.type": "-32602",
    "rpc.response.status_code": "-32602",
    "lethe.outcome": "rejected",
    "lethe.reason": "denied_by_policy",
  });
});

test("the default protocol is protobuf over HTTP", async () => {
  await using receiver = await startOtlpReceiver();
  const { url } = await start({ telemetry: { endpoint: `${receiver.url}/` } });
  await call(url, "trace");
  await gateway?.stop();
  const kinds = new Set(receiver.requests.map(({ path, contentType }) => `${path} ${contentType}`));
  expect([...kinds].sort()).toEqual(
    ["logs", "metrics", "traces"].map((signal) => `/v1/${signal} application/x-protobuf`),
  );
  expect(receiver.requests.every(({ bytes }) => bytes > 100)).toBe(true);
});

test("a collector that never answers delays neither calls nor, beyond `flushMs`, the end of the gateway", async () => {
  await using receiver = await startOtlpReceiver({ hangs: true });
  const telemetry = { endpoint: receiver.url, protocol: "http/json", flushMs: 300, timeoutMs: 600_000 };
  const { url } = await start({ telemetry }, { OTEL_BSP_SCHEDULE_DELAY: "10", OTEL_BLRP_SCHEDULE_DELAY: "10" });
  await call(url, "trace");
  await vi.waitUntil(() => receiver.requests.length >= 2, { timeout: 20_000 });
  for (let count = 0; count < 5; count += 1) expect(await call(url, "trace", {}, { trace })).toContain(callerTrace);
  // Without a bound, the exports would last for ten minutes.
  expect(await gateway?.stop()).toBe(0);
});

test("a collector that cannot be reached is logged and counted, and calls succeed", async () => {
  const telemetry = { endpoint: "http://127.0.0.1:9", timeoutMs: 100, flushMs: 100 };
  const { url, output } = await start({ telemetry }, { OTEL_BSP_SCHEDULE_DELAY: "10" });
  expect(await call(url, "trace", {}, { trace })).toContain(callerTrace);
  await vi.waitUntil(() => output.stderr.includes('"event":"telemetry.failed"'), { timeout: 20_000 });
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  expect(metrics).toMatch(/lethe_telemetry_failures_total\{signal="(traces|logs)"\} [1-9]/);
});

describe.skipIf(receiverSkipped)(`OTLP over gRPC${receiverSkipped}`, () => {
  it("exports traces, metrics and logs with the headers of the configuration to a collector in another language", async () => {
    await using receiver = await startOtlpGrpcReceiver(python);
    const telemetry = { endpoint: receiver.url, protocol: "grpc", headers: { authorization: "Bearer abc" } };
    const { url } = await start({ telemetry });
    await call(url, "trace", {}, { trace });
    await gateway?.stop();
    const signals = () => new Set(receiver.requests.map(({ path }) => path));
    await expect.poll(() => [...signals()].sort(), { timeout: 20_000 }).toEqual(["logs", "metrics", "traces"]);
    expect(receiver.requests.every(({ authorization }) => authorization === "Bearer abc")).toBe(true);
    expect(receiver.resource).toMatchObject({ "service.name": "lethe-gateway" });
    const [span] = receiver.spans.filter(({ name }) => name === "tools/call traced__trace");
    expect(span).toMatchObject({ kind: serverKind, traceId: callerTrace, parentSpanId: callerSpan });
    expect(receiver.logs).toContainEqual(expect.objectContaining({ eventName: "request", traceId: callerTrace }));
    expect(receiver.metrics.map(({ name }) => name)).toContain("lethe_tool_calls_total");
  });

  it("takes protocol, endpoint and headers from the variables of OpenTelemetry", async () => {
    await using receiver = await startOtlpGrpcReceiver(python);
    const env = { ...environmentOf(receiver), OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_METRICS_EXPORTER: "none" };
    const { url } = await start({}, env);
    await call(url, "trace", {}, { trace });
    await gateway?.stop();
    await expect.poll(() => receiver.spans.map(({ traceId }) => traceId), { timeout: 20_000 }).toContain(callerTrace);
    expect(receiver.requests.map(({ path }) => path)).not.toContain("metrics");
    expect(receiver.requests[0]?.authorization).toBe("Bearer abc");
    expect(receiver.resource).toMatchObject({ "service.name": "shop-gateway" });
  });
});

test("a collector over gRPC that never answers delays neither calls nor the end of the gateway", async () => {
  await using silent = await startSilentPort();
  const telemetry = { endpoint: silent.url, protocol: "grpc", flushMs: 300, timeoutMs: 600_000 };
  const { url } = await start({ telemetry }, { OTEL_BSP_SCHEDULE_DELAY: "10", OTEL_BLRP_SCHEDULE_DELAY: "10" });
  await call(url, "trace");
  await vi.waitUntil(() => silent.connections > 0, { timeout: 20_000 });
  for (let count = 0; count < 5; count += 1) expect(await call(url, "trace", {}, { trace })).toContain(callerTrace);
  // Without a bound, the exports would last for ten minutes.
  expect(await gateway?.stop()).toBe(0);
});

test("OTEL_SDK_DISABLED turns export off, and wrong variables are logged", async () => {
  await using receiver = await startOtlpReceiver();
  await start({}, { ...environmentOf(receiver), OTEL_SDK_DISABLED: "true" });
  expect(await call(gateway?.url ?? "", "trace")).toBe("undefined");
  await gateway?.stop();
  expect(receiver.requests).toEqual([]);
  const { output } = await start({}, { ...environmentOf(receiver), OTEL_EXPORTER_OTLP_PROTOCOL: "thrift" });
  expect(output.stderr).toContain(
    'the OTLP protocol of traces must be http/protobuf or http/json or grpc, got \\"thrift\\"',
  );
});
