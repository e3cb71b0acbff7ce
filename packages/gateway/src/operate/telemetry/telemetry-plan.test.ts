import { expect, test } from "vitest";
import type { TelemetrySettings } from "../../config/schema/settings.ts";
import { toTelemetryPlan } from "./telemetry-plan.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" };

function signalsOf(settings: TelemetrySettings | undefined, environment: Record<string, string> = {}): string[] {
  return [...(toTelemetryPlan(settings, environment)?.protocols.keys() ?? [])];
}

test("nothing is exported without configuration, and nothing with OTEL_SDK_DISABLED", () => {
  expect(toTelemetryPlan(undefined, {})).toBeUndefined();
  expect(toTelemetryPlan(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: " ", OTEL_SERVICE_NAME: "a" })).toBeUndefined();
  expect(toTelemetryPlan({}, { ...endpoint, OTEL_SDK_DISABLED: "TRUE" })).toBeUndefined();
});

test.each<[string, TelemetrySettings | undefined, Record<string, string>, string[]]>([
  ["an endpoint exports every signal", undefined, endpoint, ["traces", "metrics", "logs"]],
  ["an empty block exports every signal", {}, {}, ["traces", "metrics", "logs"]],
  ["an endpoint of one signal exports that one", undefined, { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://c" }, ["logs"]],
  ["an exporter exports its signal", undefined, { OTEL_TRACES_EXPORTER: "otlp" }, ["traces"]],
  ["`none` leaves a signal out", undefined, { ...endpoint, OTEL_LOGS_EXPORTER: "none" }, ["traces", "metrics"]],
  ["the block decides on signals", { signals: ["logs"] }, { OTEL_TRACES_EXPORTER: "otlp" }, ["logs"]],
])("%s", (_, settings, environment, expected) => {
  expect(signalsOf(settings, environment)).toEqual(expected);
});

test("the protocol is that of the block, of the signal, or of all signals", () => {
  const environment = {
    ...endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/protobuf",
  };
  expect(Object.fromEntries(toTelemetryPlan(undefined, environment)?.protocols ?? [])).toEqual({
    ...{ traces: "http/json", metrics: "http/json", logs: "http/protobuf" },
  });
  expect(toTelemetryPlan({ protocol: "http/json" }, environment)?.protocols.get("logs")).toBe("http/json");
  const grpc = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  expect(toTelemetryPlan(undefined, grpc)?.protocols.get("traces")).toBe("grpc");
});

test("variables that have no effect are reported", () => {
  const environment = {
    ...endpoint,
    OTEL_TRACES_EXPORTER: "zipkin",
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "thrift",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
  };
  const plan = toTelemetryPlan(undefined, environment);
  expect([...(plan?.protocols ?? [])]).toEqual([
    ["metrics", "http/protobuf"],
    ["logs", "http/protobuf"],
  ]);
  expect(plan?.problems).toEqual([
    'OTEL_TRACES_EXPORTER must be "otlp" or "none", got "zipkin": traces are not exported',
    'the OTLP protocol of logs must be http/protobuf or http/json or grpc, got "thrift": http/protobuf is used',
    expect.stringMatching(/^OTEL_TRACES_SAMPLER must be one of always_on, .+, got "jaeger_remote"/),
  ]);
});
