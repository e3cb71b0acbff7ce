// A collector for tests: receives OTLP/HTTP in JSON, and decodes spans, metrics and log records.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
  startNano: bigint;
  endNano: bigint;
}

export interface ReceivedLog {
  severityText: string;
  eventName: string;
  body: unknown;
  traceId: string;
  spanId: string;
  attributes: Record<string, unknown>;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  points: { attributes: Record<string, unknown>; value: unknown }[];
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly logs: ReceivedLog[];
  readonly metrics: ReceivedMetric[];
  /** The attributes of the resource of the last export. */
  readonly resource: Record<string, unknown>;
  /** The path, content type and authorization of each export. */
  readonly requests: { path: string; contentType: string; authorization: string | undefined; bytes: number }[];
}

/** With `hangs`, it accepts exports and never answers. */
export async function startOtlpReceiver({ hangs = false } = {}): Promise<OtlpReceiver> {
  const received = { spans: [], logs: [], metrics: [], requests: [], resource: {} } as Omit<
    { -readonly [K in keyof OtlpReceiver]: OtlpReceiver[K] },
    "url" | typeof Symbol.asyncDispose
  >;
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const { "content-type": contentType = "", authorization } = request.headers;
    received.requests.push({ path: request.url ?? "", contentType, authorization, bytes: body.length });
    if (hangs) return;
    if (contentType === "application/json") readExport(JSON.parse(body.toString()), received);
    response.writeHead(200, { "content-type": contentType }).end(contentType === "application/json" ? "{}" : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(received, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  });
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON encoding of OTLP
type Json = any;

/** Adds what an export contains, as OTLP writes it in JSON. */
export function readExport(
  body: Json,
  received: Pick<OtlpReceiver, "spans" | "logs" | "metrics"> & { resource: object },
): void {
  for (const group of [...(body.resourceSpans ?? []), ...(body.resourceLogs ?? []), ...(body.resourceMetrics ?? [])]) {
    received.resource = toAttributes(group.resource.attributes);
    for (const { spans = [] } of group.scopeSpans ?? []) received.spans.push(...spans.map(toSpan));
    for (const { logRecords = [] } of group.scopeLogs ?? []) received.logs.push(...logRecords.map(toLog));
    for (const { metrics = [] } of group.scopeMetrics ?? []) received.metrics.push(...metrics.map(toMetric));
  }
}

function toSpan(span: Json): ReceivedSpan {
  const { name, kind, traceId, spanId, parentSpanId = "", status = {}, links = [] } = span;
  return {
    ...{ name, kind, traceId, spanId, parentSpanId, status },
    links: links.map((link: Json) => ({ traceId: link.traceId, spanId: link.spanId })),
    attributes: toAttributes(span.attributes),
    startNano: BigInt(span.startTimeUnixNano),
    endNano: BigInt(span.endTimeUnixNano),
  };
}

function toLog({ severityText, eventName, body, traceId = "", spanId = "", attributes }: Json): ReceivedLog {
  return {
    severityText,
    eventName,
    body: body && toValue(body),
    traceId,
    spanId,
    attributes: toAttributes(attributes),
  };
}

function toMetric({ name, unit, sum, gauge, histogram }: Json): ReceivedMetric {
  const { dataPoints = [] } = sum ?? gauge ?? histogram ?? {};
  const points = dataPoints.map((point: Json) => ({
    attributes: toAttributes(point.attributes),
    value: point.asDouble ?? point.asInt ?? { count: point.count, bucketCounts: point.bucketCounts },
  }));
  return { name, unit, points };
}

function toAttributes(pairs: Json = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }: Json) => [key, toValue(value)]));
}

function toValue(value: Json): unknown {
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? value;
}
