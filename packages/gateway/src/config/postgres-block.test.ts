import { expect, it } from "vitest";
import type { ConfigError } from "./config-error.ts";
import type { ReadConfig } from "./read-config.ts";
import { parseSourceFile } from "./source-file.ts";
import { toConfig } from "./to-config.ts";
import type { Environment } from "./variables.ts";

const keys = { LETHE_KEYS: "k1:key" };

function read(gateway: object, environment: Environment = keys): ReadConfig {
  const document = { mcpServers: { a: { url: "https://h/mcp" } }, gateway };
  return toConfig([parseSourceFile("lethe.json", JSON.stringify(document))], { environment });
}

function problemsOf(...given: Parameters<typeof read>): readonly string[] {
  try {
    read(...given);
  } catch (error) {
    return (error as ConfigError).problems;
  }
  return [];
}

it("reads the database that replicas share and treats its password as a secret", () => {
  const postgres = {
    url: "postgres://u:pass%2Fword@h:5433/lethe?sslmode=verify-full",
    prefix: "mcp:",
    maxConnections: 20,
    leaseMs: 3_000,
    commandTimeoutMs: 500,
  };
  const { config, secrets } = read({ postgres });
  expect(config.settings?.postgres).toEqual(postgres);
  expect(secrets).toEqual(["pass%2Fword", "pass/word"]);
});

it.each([
  ["postgresql://h/lethe", []],
  ["postgres:///lethe?host=/run/postgresql", []],
  ["postgres://u@h/lethe?password=another-one", ["another-one"]],
])("reads the URL %s and treats its passwords as secrets", (url, passwords) => {
  const { config, secrets } = read({ postgres: { url } });
  expect(config.settings?.postgres).toEqual({ url });
  expect(secrets.filter((secret) => secret !== "")).toEqual(passwords);
});

it("uses LETHE_POSTGRES_URL if no file names a database", () => {
  const environment = { ...keys, LETHE_POSTGRES_URL: "postgres://other" };
  expect(read({}, environment).config.settings?.postgres).toEqual({ url: "postgres://other" });
  const own = { postgres: { url: "postgres://one" } };
  expect(read(own, environment).config.settings?.postgres).toEqual({ url: "postgres://one" });
  expect(read({}, { LETHE_POSTGRES_URL: "" }).config.settings?.postgres).toBeUndefined();
});

it.each([
  [{}, "lethe.json:1: gateway.postgres.url must be a string, got nothing"],
  [{ url: "redis://h" }, 'lethe.json:1: gateway.postgres.url must be a postgres or postgresql URL, got "redis://h"'],
  [{ url: "postgres:" }, 'lethe.json:1: gateway.postgres.url must be a postgres or postgresql URL, got "postgres:"'],
  [
    { url: "postgres://h", leaseMs: 999 },
    "gateway.postgres.leaseMs must be a whole number from 1000 to 60000, got 999",
  ],
  [
    { url: "postgres://h", maxConnections: 1 },
    "gateway.postgres.maxConnections must be a whole number from 2 to 1000, got 1",
  ],
  [
    { url: "postgres://h", direct: {} },
    "gateway.postgres.direct is not known; known are commandTimeoutMs, leaseMs, maxConnections, prefix, url",
  ],
])("rejects the postgres block %j", (postgres, problem) => {
  expect(problemsOf({ postgres })).toEqual([expect.stringContaining(problem)]);
});

it.each([
  [{ redis: { url: "redis://h" }, postgres: { url: "postgres://h" } }, {}, "gateway.redis and gateway.postgres"],
  [{ redis: { url: "redis://h" } }, { LETHE_POSTGRES_URL: "postgres://h" }, "gateway.redis and LETHE_POSTGRES_URL"],
  [{ postgres: { url: "postgres://h" } }, { LETHE_REDIS_URL: "redis://h" }, "LETHE_REDIS_URL and gateway.postgres"],
  [{}, { LETHE_REDIS_URL: "redis://h", LETHE_POSTGRES_URL: "postgres://h" }, "LETHE_REDIS_URL and LETHE_POSTGRES_URL"],
])("rejects two shared stores: %j with %j", (gateway, environment, names) => {
  expect(problemsOf(gateway, { ...keys, ...environment })).toEqual([
    `${names} name two stores, and replicas share one: remove one of them`,
  ]);
});

it("rejects an invalid LETHE_POSTGRES_URL without repeating its password", () => {
  expect(problemsOf({}, { ...keys, LETHE_POSTGRES_URL: "http://u:secret@h" })).toEqual([
    'LETHE_POSTGRES_URL must be a postgres or postgresql URL, got "http://***@h"',
  ]);
});

it.each([
  [
    "postgres://u:se/cret@h/db",
    'got "postgres://***@h/db"; write special characters of the password in percent-encoding',
  ],
  [
    "postgres://u:12/34@h/db",
    'got "postgres://***@h/db"; write special characters of the password in percent-encoding',
  ],
  [
    "postgres://u:se#cret@h/db",
    'got "postgres://***@h/db"; write special characters of the password in percent-encoding',
  ],
  [
    "postgres://u:se,cret/12@h/db",
    'got "postgres://***@h/db"; write special characters of the password in percent-encoding',
  ],
  ["host=h user=u password=secret", 'got "***"'],
  ["http://h/db?user=u&password=secret", 'got "http://***"'],
])("rejects the address %s without repeating its password", (url, shown) => {
  const problem = `must be a postgres or postgresql URL, ${shown}`;
  expect(problemsOf({}, { ...keys, LETHE_POSTGRES_URL: url })).toEqual([expect.stringContaining(problem)]);
  expect(problemsOf({ postgres: { url } })).toEqual([expect.stringContaining(problem)]);
  for (const text of [...problemsOf({}, { ...keys, LETHE_POSTGRES_URL: url }), ...problemsOf({ postgres: { url } })]) {
    expect(text).not.toMatch(/cret|12|34/);
  }
});

it.each([
  ["postgres://u:secret@h1:5432,h2:5432/db", "a postgres or postgresql URL with one host, which leads to the primary"],
  ["postgresql://h1,h2", "a postgres or postgresql URL with one host, which leads to the primary"],
  [
    "postgres://u:secret@/db?host=/run/postgresql",
    "postgres:///DATABASE?host=FOLDER&user=USER for the socket in a folder",
  ],
])("says how to write the address %s instead, and not that its password is wrong", (url, expected) => {
  const [problem] = problemsOf({}, { ...keys, LETHE_POSTGRES_URL: url });
  expect(problem).toContain(`LETHE_POSTGRES_URL must be ${expected}, got "`);
  expect(problem).not.toMatch(/secret|percent/);
});

it("requires the same fixed keys for all replicas that share a database", () => {
  expect(problemsOf({ postgres: { url: "postgres://h" } }, {})).toEqual([
    "gateway.postgres needs LETHE_KEYS, the same for all replicas: what they tell each other is sealed with it",
  ]);
});
