import { expect, it } from "vitest";
import type { ConfigError } from "./config-error.ts";
import type { ReadConfig, ReadConfigOptions } from "./read-config.ts";
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

it("reads the URL of the shared store and treats its password as a secret", () => {
  const redis = {
    url: "rediss://u:pass%2Fword@h:6380/2",
    prefix: "mcp:",
    allowEviction: true,
    direct: { listen: "0.0.0.0:7411", address: "[fd00::1]:7411" },
    leaseMs: 5_000,
    commandTimeoutMs: 500,
  };
  const { config, secrets } = read({ redis });
  expect(config.settings?.redis).toEqual(redis);
  expect(secrets).toEqual(["pass%2Fword", "pass/word"]);
});

it.each([
  [
    "rediss+sentinel://u:password%2F@h:1,g/primary/0?sentinelUser=s&sentinelPassword=another-one",
    ["password%2F", "password/", "another-one"],
  ],
  ["redis+sentinel://h:26379/primary", []],
  ["redis+cluster://u:password@h:1,[::1]:2", ["password"]],
])("reads the URL %s and treats its passwords as secrets", (url, passwords) => {
  const { config, secrets } = read({ redis: { url } });
  expect(config.settings?.redis).toEqual({ url });
  expect(secrets.filter((secret) => secret !== "")).toEqual(passwords);
});

it.each([
  ["redis+sentinel://h:26379", "must be redis+sentinel://HOST:26379/PRIMARY or "],
  ["rediss+sentinel://h/p/0/1", "must be rediss+sentinel://HOST:26379/PRIMARY or "],
  ["redis+cluster://h/1", "must be redis+cluster://HOST:6379,HOST:6379 without a database, got "],
  ["redis+cluster://", "must be redis+cluster://HOST:6379,HOST:6379 without a database, got "],
  ["redis://h:99999", "must be redis://HOST:6379 or redis://HOST:6379/DATABASE, with numbers for both, got "],
  ["redis+other://h", "must be a redis, rediss, redis+sentinel or redis+cluster URL, got "],
])("rejects the URL %s with the form that its scheme has", (url, expected) => {
  expect(problemsOf({ redis: { url } })).toEqual([expect.stringContaining(expected)]);
});

it("finds the files of the client certificate from the folder of the configuration", () => {
  const document = {
    mcpServers: { a: { url: "https://h/mcp" } },
    gateway: { redis: { url: "rediss://h", clientCertificate: { certFile: "tls/a.crt", keyFile: "/run/a.key" } } },
  };
  const { config } = toConfig([parseSourceFile("/etc/lethe/lethe.json", JSON.stringify(document))], {
    environment: keys,
  });
  expect(config.settings?.redis?.clientCertificate).toEqual({
    certFile: "/etc/lethe/tls/a.crt",
    keyFile: "/run/a.key",
  });
});

it("uses LETHE_REDIS_URL if no file sets the URL", () => {
  const environment = { ...keys, LETHE_REDIS_URL: "redis://other" };
  expect(read({}, environment).config.settings?.redis).toEqual({ url: "redis://other" });
  expect(read({ redis: { url: "redis://one" } }, environment).config.settings?.redis).toEqual({ url: "redis://one" });
  expect(read({}, { LETHE_REDIS_URL: "" }).config.settings?.redis).toBeUndefined();
});

it.each([
  [{}, "lethe.json:1: gateway.redis.url must be a string, got nothing"],
  [
    { url: "http://h" },
    'lethe.json:1: gateway.redis.url must be a redis, rediss, redis+sentinel or redis+cluster URL, got "http://h"',
  ],
  [
    { url: "redis://h/x" },
    'lethe.json:1: gateway.redis.url must be redis://HOST:6379 or redis://HOST:6379/DATABASE, with numbers for both, got "redis://h/x"',
  ],
  [
    { url: "redis:" },
    'lethe.json:1: gateway.redis.url must be redis://HOST:6379 or redis://HOST:6379/DATABASE, with numbers for both, got "redis:"',
  ],
  ...["http://h:1", "h", "h:0", "h:07411", "fd00::1:7411"].map((address): [object, string] => [
    { url: "redis://h", address },
    `lethe.json:1: gateway.redis.address must be host:port with a port from 1 to 65535, such as 10.0.0.5:7411 or [fd00::5]:7411, got "${address}"`,
  ]),
  ...["h", "h:70000", "h:07411", "fd00::1:7411"].map((listen): [object, string] => [
    { url: "redis://h", direct: { listen } },
    `lethe.json:1: gateway.redis.direct.listen must be host:port with a port from 0 to 65535, such as 10.0.0.5:7411 or [fd00::5]:7411, got "${listen}"`,
  ]),
  [
    { url: "redis://h", direct: { listen: "0.0.0.0:7411", address: "h:0" } },
    "lethe.json:1: gateway.redis.direct.address must be host:port with a port from 1 to 65535",
  ],
  [
    { url: "redis://h", direct: { listen: "0.0.0.0:0", address: "h:7411" } },
    'lethe.json:1: gateway.redis.direct.address needs a fixed port in gateway.redis.direct.listen, got "0.0.0.0:0"',
  ],
  [
    { url: "rediss://h", clientCertificate: { certFile: "a.crt" } },
    "lethe.json:1: gateway.redis.clientCertificate.keyFile must be a string, got nothing",
  ],
  [
    { url: "redis://h", clientCertificate: { certFile: "a.crt", keyFile: "a.key" } },
    'lethe.json:1: gateway.redis.clientCertificate needs TLS; write "rediss" instead of "redis" in "url"',
  ],
  [{ url: "redis://h", prefix: "a b" }, 'gateway.redis.prefix must be 1 to 64 characters without spaces, got "a b"'],
  [{ url: "redis://h", leaseMs: 999 }, "gateway.redis.leaseMs must be a whole number from 1000 to 60000, got 999"],
  [
    { url: "redis://h", commandTimeoutMs: 60_001 },
    "gateway.redis.commandTimeoutMs must be a whole number from 200 to 60000, got 60001",
  ],
  [
    { url: "redis://h", user: "x" },
    "lethe.json:1: gateway.redis.user is not known; known are address, allowEviction, clientCertificate, commandTimeoutMs, direct, leaseMs, prefix, url",
  ],
])("rejects the redis block %j", (redis, problem) => {
  expect(problemsOf({ redis })).toEqual([expect.stringContaining(problem)]);
});

it.each([2, "auto"])("rejects a fixed port for direct connections beside %j workers", (workers) => {
  const redisAt = (listen: string) => ({ url: "redis://h", direct: { listen } });
  expect(problemsOf({ workers, redis: redisAt("0.0.0.0:7411") })).toEqual([
    'lethe.json:1: gateway.redis.direct.listen must have port 0 beside several workers, each of which needs its own port, got "0.0.0.0:7411"',
  ]);
  expect(problemsOf({ workers, redis: redisAt("0.0.0.0:0") })).toEqual([]);
  expect(problemsOf({ workers: 1, redis: redisAt("0.0.0.0:7411") })).toEqual([]);
});

it("rejects a fixed port for direct connections if another file sets workers", () => {
  const files = [
    { mcpServers: { a: { url: "https://h/mcp" } }, gateway: { workers: 2 } },
    { gateway: { redis: { url: "redis://h", direct: { listen: "0.0.0.0:7411" } } } },
  ];
  const sources = files.map((document, index) => parseSourceFile(`${index + 1}.json`, JSON.stringify(document)));
  expect(() => toConfig(sources, { environment: keys })).toThrow(
    "2.json:1: gateway.redis.direct.listen must have port 0",
  );
});

it.each([2, "auto"] as const)(
  "rejects a fixed port for direct connections if %j workers override the file",
  (workers) => {
    const gateway = { workers: 1, redis: { url: "redis://h", direct: { listen: "0.0.0.0:7411" } } };
    const problems = (override: Pick<ReadConfigOptions, "workers">) => {
      const document = { mcpServers: { a: { url: "https://h/mcp" } }, gateway };
      const read = () =>
        toConfig([parseSourceFile("lethe.json", JSON.stringify(document, null, 1))], {
          environment: keys,
          ...override,
        });
      return read;
    };
    expect(problems({ workers })).toThrow(
      /^lethe\.json:\d+: gateway\.redis\.direct\.listen must have port 0 beside several workers/,
    );
    expect(problems({ workers: 1 })).not.toThrow();
  },
);

it("rejects an invalid LETHE_REDIS_URL without repeating its password", () => {
  expect(problemsOf({}, { ...keys, LETHE_REDIS_URL: "http://u:secret@h" })).toEqual([
    'LETHE_REDIS_URL must be a redis, rediss, redis+sentinel or redis+cluster URL, got "http://***@h"',
  ]);
});

it("requires the same fixed keys for all replicas", () => {
  expect(problemsOf({ redis: { url: "redis://h" } }, {})).toEqual([
    "gateway.redis needs LETHE_KEYS, the same for all replicas: what they tell each other is sealed with it",
  ]);
});
