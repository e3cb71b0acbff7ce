// What the gateway exports over OTLP, and how.

export type TelemetrySignal = "traces" | "metrics" | "logs";

/** Every signal. */
export const telemetrySignals: readonly TelemetrySignal[] = ["traces", "metrics", "logs"];

export type TelemetryProtocol = "http/protobuf" | "http/json" | "grpc";

/** Every protocol. */
export const telemetryProtocols: readonly TelemetryProtocol[] = ["http/protobuf", "http/json", "grpc"];
