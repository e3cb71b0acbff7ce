import { expect, test } from "vitest";
import { loadGrpcExporters } from "./grpc-exporters.ts";

test("without the packages of gRPC, the error names all of them in the version of the SDK, and the protocol that needs none", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const failure = await loadGrpcExporters(() => Promise.reject(missing)).catch((error: Error) => error.message);
  expect(failure).toMatch(/^OTLP over gRPC needs packages that cannot be loaded \(not installed\)/);
  const names = ["exporter-trace-otlp-grpc", "exporter-metrics-otlp-grpc", "exporter-logs-otlp-grpc"];
  for (const name of [...names, "otlp-grpc-exporter-base"])
    expect(failure).toContain(` @opentelemetry/${name}@0.223.0`);
  expect(failure).toContain("http/protobuf");
});

test("packages that are installed but broken are reported with what is wrong", async () => {
  await expect(loadGrpcExporters(() => Promise.reject(new Error("bad build")))).rejects.toThrow(/\(Error: bad build\)/);
});

test("each signal has an exporter over gRPC", async () => {
  const { create } = await loadGrpcExporters();
  const settings = { endpoint: "http://127.0.0.1:9", headers: { authorization: "Bearer abc" }, timeoutMs: 100 };
  for (const signal of ["traces", "metrics", "logs"] as const) {
    const exporter = create(signal, settings);
    expect(exporter.export).toBeTypeOf("function");
    await exporter.shutdown();
  }
});
