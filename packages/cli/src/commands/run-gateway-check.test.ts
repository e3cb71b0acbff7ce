// The reports of `lethe gateway check`, which contain no secrets.
import type { ReadConfig } from "@lethe/gateway";
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { toObstacleText, toReport, toText } from "./run-gateway-check.ts";

const style = createStyle({ isTTY: false });

function readOf(upstreams: ReadConfig["config"]["upstreams"]): ReadConfig {
  return { config: { upstreams }, notes: [], files: ["/x/lethe.json"], secrets: ["hidden-in-a-path"] };
}

function report(upstreams: ReadConfig["config"]["upstreams"]): string {
  return toText(readOf(upstreams), style);
}

it("the text report lists each server without secret values", () => {
  const env = { API_KEY: "hidden-in-env" };
  const headers = { Authorization: "Bearer hidden-in-a-header" };
  const url = "https://me:hidden-in-an-address@h.example/mcp?key=hidden-in-a-query";
  expect(
    report([
      { kind: "stdio", name: "local", command: "npx", args: ["--token", "hidden-in-an-argument"], env, cwd: "/x" },
      { kind: "stdio", name: "line", command: "npx server --token hidden-in-a-command", args: [], env: {} },
      { kind: "http", name: "remote", url, headers },
    ]),
  ).toBe(
    [
      "✓ local   npx and 2 arguments with API_KEY in /x",
      "✓ line    npx server --token ***",
      "✓ remote  https://***@h.example/mcp with Authorization",
      "",
    ].join("\n"),
  );
});

it("the text report lists the keys of the gateway block as in the file", () => {
  const { config, ...read } = readOf([{ kind: "stdio", name: "a", command: "a", args: [], env: {} }]);
  const given = { ...read, config: { ...config, settings: { port: 1, probe: false } } };
  expect(toReport(given).settings).toEqual(["port", "probe"]);
  expect(toText(given, style)).toContain("gateway: port, probe\n");
});

it("the text report marks servers that cannot start on this machine", () => {
  const servers = ["here", "gone"].map((name) => ({ kind: "stdio" as const, name, command: name, args: [], env: {} }));
  expect(toText(readOf(servers), style, ["gone"])).toBe("✓ here  here\n✗ gone  gone\n");
  expect(toReport(readOf(servers), ["gone"])).toMatchObject({ isValid: true, canStart: false, unstartable: ["gone"] });
});

it("the JSON report has the same contents", () => {
  const report = toReport(
    readOf([
      { kind: "stdio", name: "local", command: "npx", args: ["--token", "hidden"], env: { A: "hidden" }, cwd: "/x" },
      {
        kind: "http",
        name: "remote",
        url: "https://h/hidden-in-a-path?k=hidden",
        headers: { Authorization: "hidden" },
      },
    ]),
  );
  expect(report).toEqual({
    ...{
      isValid: true,
      canStart: true,
      problems: [],
      obstacles: [],
      notes: [],
      unstartable: [],
      files: ["/x/lethe.json"],
      settings: [],
    },
    servers: [
      { name: "local", kind: "stdio", command: "npx", arguments: 2, env: ["A"], cwd: "/x" },
      { name: "remote", kind: "http", url: "https://h/***", headers: ["Authorization"] },
    ],
  });
});

it("reports an obstacle as a reason why the gateway cannot start", () => {
  const read = readOf([{ kind: "stdio", name: "a", command: "a", args: [], env: {} }]);
  const redis = { url: "redis://h", isReached: true, warning: "it may evict" };
  for (const obstacles of [
    { others: ["cannot listen"], redis },
    { others: [], redis: { ...redis, problem: "it is a Cluster" } },
    { others: [], redis: { url: "redis://h", isReached: false, problem: "refused" } },
  ]) {
    expect(toReport(read, [], obstacles)).toMatchObject({ canStart: false, redis: obstacles.redis });
    expect(toObstacleText(obstacles, style)).toMatch(/^✗ /);
  }
  expect(toReport(read, [], { others: [], redis })).toMatchObject({ canStart: true });
  expect(toObstacleText({ others: [], redis }, style)).toBe("✓ redis://h is reachable\n! it may evict\n");
});
