import { expect, it } from "vitest";
import { addressIn, parseRedisUrl } from "./redis-target.ts";

it("a URL with one server is left to the driver", () => {
  expect(parseRedisUrl("rediss://u:p@h:1/2")).toEqual({ kind: "single", url: "rediss://u:p@h:1/2" });
});

it("a URL of Sentinels names them, the primary, its database and both accounts", () => {
  const url = "rediss+sentinel://lethe:p%40ss@one,[::1]:5000/primary/3?sentinelUser=s&sentinelPassword=t";
  expect(parseRedisUrl(url)).toEqual({
    ...{ kind: "sentinel", primary: "primary", database: 3, isTls: true, username: "lethe", password: "p@ss" },
    nodes: [
      { host: "one", port: 26_379 },
      { host: "::1", port: 5_000 },
    ],
    sentinel: { username: "s", password: "t" },
  });
});

it("a URL of a Cluster names some of its nodes", () => {
  expect(parseRedisUrl("redis+cluster://:secret@one:7000,two")).toEqual({
    ...{ kind: "cluster", isTls: false, password: "secret" },
    nodes: [
      { host: "one", port: 7_000 },
      { host: "two", port: 6_379 },
    ],
  });
});

it.each([
  "redis+sentinel://one:26379",
  "redis+sentinel://one:26379/primary/x",
  "redis+sentinel://one:26379/primary/0/1",
  "redis+cluster://",
  "redis+cluster://one:99999",
  "redis+cluster://one two",
  "redis+other://one",
])("the URL %s is malformed, and the error shows the forms", (url) => {
  expect(() => parseRedisUrl(url)).toThrow("a Redis URL such as redis://user:password@host:6379/0");
});

it("a Cluster has no databases", () => {
  expect(() => parseRedisUrl("redis+cluster://one/1")).toThrow("a Redis Cluster has no databases");
});

it("the address of a URL contains no account", () => {
  expect(addressIn("redis://u:secret@h:1/2")).toBe("redis://h:1/2");
  expect(addressIn("redis+cluster://u:secret@h:1,g:2")).toBe("redis+cluster://h:1,g:2");
  expect(addressIn("redis+sentinel://u:secret@h/p/0?sentinelPassword=secret")).toBe("redis+sentinel://h/p/0");
  expect(addressIn("u:secret@h")).toBe("the given address");
});
