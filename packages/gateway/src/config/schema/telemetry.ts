// The part of the gateway block about the export of traces, metrics and logs over OTLP.
import { z } from "zod";
import { defaultTelemetry } from "./defaults.ts";
import type { TelemetrySettings } from "./settings.ts";
import { telemetryProtocols, telemetrySignals } from "./telemetry-signals.ts";
import {
  choice,
  list,
  milliseconds,
  mustBe,
  named,
  optional,
  secret,
  secretOfHeader,
  section,
  text,
  url,
  type Value,
} from "./values.ts";

const header = secret(text, (value) => [secretOfHeader(value)]);
const ratioError = mustBe("a number above 0 and of at most 1", String);

export const telemetrySettings: Value<TelemetrySettings> = section({
  endpoint: optional(
    url,
    "The URL of the collector, without `/v1/traces`. Variable: OTEL_EXPORTER_OTLP_ENDPOINT. For grpc, the default is `http://localhost:4317`.",
    {
      default: "http://localhost:4318",
    },
  ),
  protocol: optional(
    choice(...telemetryProtocols),
    "The protocol. grpc needs packages that are not installed with lethe. Variable: OTEL_EXPORTER_OTLP_PROTOCOL.",
    {
      default: "http/protobuf",
    },
  ),
  headers: optional(
    named(header),
    "Headers of each export. Their values are masked in the log. Variable: OTEL_EXPORTER_OTLP_HEADERS. Default: none.",
    { examples: [{ authorization: "Bearer ${OTLP_TOKEN}" }] },
  ),
  signals: optional(
    list(choice(...telemetrySignals), "strings"),
    "What is exported. Variables: OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and OTEL_LOGS_EXPORTER. Default: all.",
    { examples: [["traces", "metrics"]] },
  ),
  serviceName: optional(text, "The attribute `service.name`. Variable: OTEL_SERVICE_NAME.", {
    default: defaultTelemetry.serviceName,
  }),
  attributes: optional(
    named(text),
    "Further attributes of the resource. Variable: OTEL_RESOURCE_ATTRIBUTES. Default: none.",
    { examples: [{ "deployment.environment.name": "production" }] },
  ),
  sampleRatio: optional(
    z.number(ratioError).gt(0, ratioError).lte(1, ratioError),
    "The share of traces to record, above 0 and at most 1, if the caller made no decision. Variable: OTEL_TRACES_SAMPLER. Default: all traces.",
    { examples: [0.1] },
  ),
  metricIntervalMs: optional(
    milliseconds(1_000),
    "How often metrics are exported, in ms. Variable: OTEL_METRIC_EXPORT_INTERVAL.",
    { default: defaultTelemetry.metricIntervalMs },
  ),
  timeoutMs: optional(milliseconds(100), "Timeout of one export, in ms. Variable: OTEL_EXPORTER_OTLP_TIMEOUT.", {
    default: defaultTelemetry.timeoutMs,
  }),
  flushMs: optional(milliseconds(0), "How long the gateway waits for the last export when it stops, in ms.", {
    default: defaultTelemetry.flushMs,
  }),
}).meta({
  id: "TelemetrySettings",
  description:
    "Export of traces, metrics and logs over OTLP. A member takes precedence over its variable of OpenTelemetry.",
});
