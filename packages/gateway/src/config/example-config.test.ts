import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exampleConfig } from "./example-config.ts";
import type { GatewaySettings } from "./schema/settings.ts";
import { parseSourceFile } from "./source-file.ts";
import { toConfig } from "./to-config.ts";

const environment = {
  GITHUB_TOKEN: "t",
  LETHE_CI_KEY: "0123456789abcdef",
  LETHE_ADMIN_KEY: "fedcba9876543210",
  CI_GITHUB_TOKEN: "u",
  LETHE_KEYS: "k1:0",
};

it("the example configuration is valid", () => {
  const { config, notes } = toConfig([parseSourceFile("lethe.json", exampleConfig)], { environment: {} });
  expect(config.upstreams.map(({ name }) => name)).toEqual(["everything"]);
  expect(notes).toEqual([]);
});

it("the example configuration is valid with all comments activated", () => {
  const whole = exampleConfig.replace(/^( *)\/\/ (?=["\]}[{ ])/gm, "$1");
  const { config } = toConfig([parseSourceFile("lethe.json", whole)], { environment });
  expect(config.upstreams.map(({ name }) => name)).toEqual(["everything", "github"]);
  expect(Object.keys(config.settings ?? {})).toEqual([
    "host",
    "port",
    "publicUrl",
    "trustProxy",
    "auth",
    "policy",
    "endpoints",
    "limits",
    "pendingCalls",
    "restart",
    "tasks",
    "admin",
    "log",
    "probe",
    "shutdown",
    "redis",
    "telemetry",
  ]);
});

it("the documented gateway block is valid and contains every member", () => {
  const page = readFileSync(new URL("../../../../docs/gateway/settings.md", import.meta.url), "utf8");
  const block = /```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const shown = { CI_KEY: "0123456789abcdef", ADMIN_KEY: "fedcba9876543210", REDIS_PASSWORD: "p", LETHE_KEYS: "k1:0" };
  const { config } = toConfig([parseSourceFile("docs/gateway/settings.md", block)], { environment: shown });
  const members: (keyof GatewaySettings)[] = [
    "admin",
    "affinityHints",
    "allowedHosts",
    "allowedOrigins",
    "auth",
    "card",
    "endpoints",
    "host",
    "keepAliveMs",
    "legacy",
    "limits",
    "log",
    "pendingCalls",
    "policy",
    "port",
    "probe",
    "publicUrl",
    "redis",
    "restart",
    "shutdown",
    "tasks",
    "telemetry",
    "trustProxy",
  ];
  expect(Object.keys(config.settings ?? {}).sort()).toEqual(members);
});

it.each([
  ["gateway/access", 2],
  ["gateway/endpoints", 1],
  ["gateway/files", 2],
  ["gateway/limits", 1],
  ["gateway/upstreams", 1],
  ["operations/troubleshooting", 1],
])("the configurations in docs/%s.md are valid", (name, count) => {
  const page = readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const configurations = blocks.filter((block) => block.includes('"mcpServers"'));
  expect(configurations).toHaveLength(count);
  const keys = { CI_KEY: "0123456789abcdef", SALES_KEY: "fedcba9876543210", PETSTORE_KEY: "p" };
  const shown = { ...keys, GITHUB_TOKEN: "t", TICKETS_TOKEN: "u", LETHE_KEYS: "k1:0" };
  for (const block of configurations)
    expect(() => toConfig([parseSourceFile(`docs/${name}.md`, block)], { environment: shown })).not.toThrow();
});

it("the documented block for several replicas is valid", () => {
  const page = readFileSync(new URL("../../../../docs/gateway/replicas.md", import.meta.url), "utf8");
  const block = /```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const shown = { CI_KEY: "0123456789abcdef", LETHE_KEYS: "k1:0" };
  const { config } = toConfig([parseSourceFile("docs/gateway/replicas.md", block)], { environment: shown });
  expect(config.settings?.redis).toEqual({ url: "redis://127.0.0.1:6379" });
});

it("the documented block for tasks is valid", () => {
  const page = readFileSync(new URL("../../../../docs/tasks.md", import.meta.url), "utf8");
  const block = /```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { config } = toConfig([parseSourceFile("docs/tasks.md", block)], { environment: {} });
  expect(config.upstreams).toMatchObject([{ name: "research", tasks: "auto" }]);
  expect(config.settings?.tasks).toEqual({ afterMs: 1_000, ttlMs: 3_600_000 });
});

it("the documented block for telemetry is valid", () => {
  const page = readFileSync(new URL("../../../../docs/observability.md", import.meta.url), "utf8");
  const block = /```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { config, secrets } = toConfig([parseSourceFile("docs/observability.md", block)], {
    environment: { OTLP_TOKEN: "otlp-token" },
  });
  expect(config.settings?.telemetry).toEqual({
    endpoint: "http://localhost:4318",
    protocol: "http/protobuf",
    headers: { authorization: "Bearer otlp-token" },
    signals: ["traces", "metrics", "logs"],
    serviceName: "mcp-gateway",
    attributes: { "deployment.environment.name": "production" },
    sampleRatio: 0.1,
    metricIntervalMs: 60_000,
    timeoutMs: 10_000,
    flushMs: 5_000,
  });
  expect([...secrets]).toContain("otlp-token");
});

it.each([
  [{ signals: ["spans"] }, 'gateway.telemetry.signals[0] must be "traces" or "metrics" or "logs", got "spans"'],
  [{ sampleRatio: 2 }, "gateway.telemetry.sampleRatio must be a number above 0 and of at most 1, got 2"],
  [{ protocol: "thrift" }, 'gateway.telemetry.protocol must be "http/protobuf" or "http/json" or "grpc", got "thrift"'],
  [{ endpoint: "localhost:4318" }, 'gateway.telemetry.endpoint must be an http or https URL, got "localhost:4318"'],
])("rejects the telemetry %j with its place", (telemetry, problem) => {
  const text = JSON.stringify({ mcpServers: { a: { command: "node" } }, gateway: { telemetry } });
  expect(() => toConfig([parseSourceFile("lethe.json", text)], { environment: {} })).toThrow(problem);
});
