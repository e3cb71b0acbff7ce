// What `lethe gateway doctor` finds, area by area.
import { expect, it } from "vitest";
import { toDoctorText } from "../commands/run-gateway-doctor.ts";
import { createStyle } from "../terminal/style.ts";
import { toCertificateFinding } from "./check-certificates.ts";
import { toDatabaseFindings } from "./check-database.ts";
import { checkKeys } from "./check-keys.ts";
import { toLimitFindings } from "./check-limits.ts";
import { toStoreFindings } from "./check-store.ts";
import { toTelemetryFindings } from "./check-telemetry.ts";
import type { Finding } from "./finding.ts";

const now = Date.parse("2026-11-25T00:00:00Z");
const random = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 97 + 13) % 256)).toString("base64url");
const even = Buffer.alloc(32, 1).toString("base64url");
const redis = { url: "redis://h" };
const levels = (findings: readonly Finding[]) => findings.map(({ level, text }) => `${level}: ${text}`);

it.each([
  [{ redis }, undefined, "problem: LETHE_KEYS is not set"],
  [{}, undefined, "warning: LETHE_KEYS is not set"],
  [{}, "k1:short", expect.stringMatching(/^problem: key list .+ 32 bytes/)],
  [{}, `k1:${even}`, "problem: the key k1 of LETHE_KEYS is not random"],
  [{}, `k1:${random}`, "ok: LETHE_KEYS is valid; its first key is k1, which names no date"],
  [{}, `k20261101:${random}`, "ok: LETHE_KEYS is valid; its first key is k20261101, 24 days old"],
  [{}, `k2025-01-01:${random}`, "warning: the first key of LETHE_KEYS, k2025-01-01, is 693 days old"],
])("judges the keys of %j with LETHE_KEYS=%s", (settings, keys, expected) => {
  expect(levels(checkKeys(settings, keys, now))).toEqual([expected]);
});

it("warns of short keys of callers and administrators, and prints none", () => {
  const settings = {
    auth: { keys: [{ id: "ci", key: "0123456789abcdef", scopes: [] }] },
    admin: { key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
  };
  const findings = checkKeys(settings, `k1:${random}`, now);
  expect(levels(findings).slice(1)).toEqual([
    "warning: the key of the caller ci has only 16 characters, or few different ones",
    "warning: gateway.admin.key has only 28 characters, or few different ones",
  ]);
  expect(JSON.stringify(findings)).not.toMatch(/0123456789abcdef|aaaaaaaa/);
});

it("judges reachability, version, memory, clock and keys of the store", () => {
  const findings = toStoreFindings("redis://h", {
    ...{ isReached: true, version: "7.0.15", usedBytes: 9_000_000, maxBytes: 10_000_000 },
    ...{ clockAheadMs: -2_500, replicas: 3, replicasWithOtherKeys: 1 },
  });
  expect(levels(findings)).toEqual([
    "ok: redis://h is reachable, version 7.0.15",
    "warning: Redis uses 8.6 MiB of 9.5 MiB",
    "warning: the clock of Redis is 2500 ms behind the clock of this machine",
    "problem: 3 gateways share this Redis now, 1 of them with other keys",
  ]);
});

it.each([
  [{ isReached: false, problem: "connect ECONNREFUSED" }, "problem: redis://h is not reachable"],
  [{ isReached: true, problem: "this is a Redis Cluster" }, "problem: redis://h cannot be used"],
  [{ isReached: true, version: "6.0.9" }, "problem: redis://h has version 6.0.9"],
  [{ isReached: true, usedBytes: 1_048_576 }, "warning: Redis uses 1.0 MiB and has no maxmemory"],
  [
    { isReached: true, clockAheadMs: 60_000 },
    "problem: the clock of Redis is 60000 ms ahead of the clock of this machine",
  ],
  [{ isReached: true, warning: "Redis evicts keys" }, "warning: Redis evicts keys"],
])("judges the store %j", (inspected, expected) => {
  expect(levels(toStoreFindings("redis://h", inspected))).toContain(expected);
});

it.each([
  ["2026-11-20", undefined, "problem: the certificate of h:443 expired 5 days ago"],
  ["2026-12-01", undefined, "warning: the certificate of h:443 expires in 6 days"],
  ["2027-12-01", "DEPTH_ZERO_SELF_SIGNED_CERT", "problem: the certificate of h:443 is not trusted"],
  ["2027-12-01", undefined, "ok: the certificate of h:443 is valid until 2027-12-01"],
])("judges a certificate that ends on %s (%s)", (date, distrust, expected) => {
  const finding = toCertificateFinding("h:443", { validTo: `${date}T00:00:00Z`, distrust }, now);
  expect(levels([finding])).toEqual([expected]);
});

it("reports missing packages of OTLP over gRPC, and variables without effect", () => {
  expect(toTelemetryFindings(undefined)).toEqual([]);
  expect(levels(toTelemetryFindings({ exported: ["logs over grpc"], notes: [] }))).toEqual([
    "ok: OTLP exports logs over grpc",
  ]);
  const findings = toTelemetryFindings({
    exported: ["logs over grpc"],
    notes: ["no such sampler"],
    problem: "not installed",
  });
  expect(levels(findings)).toEqual([
    "problem: OTLP exports logs over grpc, but its packages are missing",
    "warning: no such sampler",
  ]);
  expect(findings[0]?.cause).toBe("not installed");
});

it("judges file descriptors, heap and memory budget of the machine", () => {
  const mebi = 1_048_576;
  const enough = { openFiles: 1_048_576, heapBytes: 2_000 * mebi, memoryBytes: 4_000 * mebi };
  expect(toLimitFindings({}, enough).map(({ level }) => level)).toEqual(["ok", "ok", "ok"]);
  const little = { openFiles: 1_024, heapBytes: 2_000 * mebi, memoryBytes: 1_000 * mebi };
  expect(toLimitFindings({ maxHeldBytes: 1_500 * mebi }, little)).toMatchObject([
    { level: "warning", remedy: expect.stringContaining("16896") },
    { level: "warning", remedy: expect.stringContaining("--max-old-space-size=800") },
    { level: "warning", remedy: expect.stringContaining("lower limits.maxHeldBytes") },
  ]);
});

it("the text shows cause and remedy of each finding that is not ok, and counts them", () => {
  const findings: Finding[] = [
    { area: "ports", level: "ok", text: "port 1 is free" },
    { area: "tls", level: "problem", text: "expired", cause: "old", remedy: "renew it" },
  ];
  expect(toDoctorText(findings, createStyle({ isTTY: false }))).toBe(
    [
      "✓ ports     port 1 is free",
      "✗ tls       expired",
      "            cause:  old",
      "            remedy: renew it",
      "",
      "1 problem, 0 warnings",
      "",
    ].join("\n"),
  );
});

it.each([
  [
    { isReached: true, version: "16.4", clockAheadMs: 3 },
    [
      "ok: postgres://h is reachable, version 16.4",
      "ok: the clock of PostgreSQL is 3 ms ahead of the clock of this machine",
    ],
  ],
  [
    { isReached: true, version: "16.4", clockAheadMs: -20_000 },
    [
      "ok: postgres://h is reachable, version 16.4",
      "problem: the clock of PostgreSQL is 20000 ms behind the clock of this machine",
    ],
  ],
  [{ isReached: true, problem: "a stand-by" }, ["problem: postgres://h cannot be used"]],
  [{ isReached: false, problem: "refused" }, ["problem: postgres://h is not reachable"]],
])("finds the problems of a database that replicas share: %j", (checked, expected) => {
  expect(levels(toDatabaseFindings("postgres://h", checked, { workers: 1, each: 11 }))).toEqual(expected);
});

it.each([
  [{ workers: 1, each: 11 }, 11, []],
  [
    { workers: 1, each: 11 },
    4,
    ["warning: this account may have 4 connections to PostgreSQL, and the gateway needs 11"],
  ],
  [
    { workers: 16, each: 11 },
    97,
    [
      "warning: this account may have 97 connections to PostgreSQL, and the gateway needs 176, 11 for each of its 16 workers",
    ],
  ],
])(
  "for a gateway that needs %j connections to PostgreSQL, judges a limit of %i",
  (needed, connectionLimit, expected) => {
    const [, ...findings] = toDatabaseFindings("postgres://h", { isReached: true, connectionLimit }, needed);
    expect(levels(findings)).toEqual(expected);
  },
);
