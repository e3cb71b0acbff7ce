import { expect, test } from "vitest";
import { loadGrpcExporters } from "./grpc-exporters.ts";
import { inspectTelemetry } from "./inspect-telemetry.ts";

const missing = () =>
  loadGrpcExporters(() => Promise.reject(Object.assign(new Error("none"), { code: "ERR_MODULE_NOT_FOUND" })));

test("nothing is reported if nothing is exported", async () => {
  expect(await inspectTelemetry(undefined, {}, missing)).toBeUndefined();
});

test("missing packages are a problem if the configuration asks for gRPC", async () => {
  const inspected = await inspectTelemetry({ protocol: "grpc", signals: ["traces"] }, {}, missing);
  expect(inspected).toEqual({
    exported: ["traces over grpc"],
    notes: [],
    problem: expect.stringMatching(/^OTLP over gRPC needs packages .+not installed.+npm install/),
  });
});

test("missing packages are a problem if a variable asks for gRPC for one signal", async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "grpc" };
  const inspected = await inspectTelemetry(undefined, environment, missing);
  expect(inspected?.exported).toEqual(["traces over http/protobuf", "metrics over http/protobuf", "logs over grpc"]);
  expect(inspected?.problem).toContain("not installed");
});

test("packages are not loaded for a protocol that needs none, and are no problem if they are installed", async () => {
  expect((await inspectTelemetry({ protocol: "http/json" }, {}, missing))?.problem).toBeUndefined();
  expect((await inspectTelemetry({ protocol: "grpc" }, {}))?.problem).toBeUndefined();
});
