import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveTargets } from "./probe-targets.ts";

let folder: string;
let config: string;

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/lethe-targets-`);
  config = `${folder}/servers.json`;
  const mcpServers = {
    files: { command: "npx", args: ["files"], env: { KEY: "value" } },
    docs: { url: "https://docs.example/mcp", headers: { "x-key": "secret-of-docs" } },
    browser: { command: "npx", args: ["browser"] },
  };
  const upstreams = { docs: { era: "modern" }, browser: { affinity: "handle" }, files: { affinity: "shared" } };
  await writeFile(config, JSON.stringify({ mcpServers, gateway: { upstreams } }));
});
afterAll(() => rm(folder, { recursive: true }));

it("URLs and a command after -- can be combined", async () => {
  const targets = await resolveTargets(["http://localhost/mcp"], ["node", "server.js", "--port"], {});
  expect(targets).toMatchObject([{ url: "http://localhost/mcp" }, { command: "node", args: ["server.js", "--port"] }]);
});

it("a file without names selects all its servers, with names only those", async () => {
  const all = await resolveTargets([], undefined, { config });
  expect(all.map(({ name }) => name)).toEqual(["files", "docs", "browser"]);
  expect(await resolveTargets(["docs"], undefined, { config })).toMatchObject([{ url: "https://docs.example/mcp" }]);
});

it("a configured sharing is a statement, a shared affinity is not", async () => {
  const targets = await resolveTargets([], undefined, { config });
  expect(targets.map(({ stated }) => stated)).toEqual([undefined, "stateless", "stateful"]);
});

it("sharing and era take precedence over affinity", async () => {
  const file = `${folder}/stated.json`;
  const mcpServers = { a: { url: "http://a/mcp" }, b: { url: "http://b/mcp" } };
  const upstreams = { a: { sharing: "shared", affinity: "caller" }, b: { sharing: "single", affinity: "shared" } };
  await writeFile(file, JSON.stringify({ mcpServers, gateway: { upstreams } }));
  const targets = await resolveTargets([], undefined, { config: file });
  expect(targets.map(({ stated }) => stated)).toEqual(["stateless", "stateful"]);
});

it("secrets of the file are marked as secrets", async () => {
  const [docs] = await resolveTargets(["docs"], undefined, { config });
  expect(docs?.secrets).toContain("secret-of-docs");
});

describe("LETHE_TOKEN", () => {
  const environment = { LETHE_TOKEN: "t0ken" };
  const headersOf = async (words: string[], options: Parameters<typeof resolveTargets>[2] = {}, server?: string[]) => {
    const targets = await resolveTargets(words, server, options, environment);
    return targets.map((target) => ("url" in target ? target.headers : undefined));
  };

  it("LETHE_TOKEN is sent to a single URL unless --header sets Authorization", async () => {
    expect(await headersOf(["http://a/mcp"])).toEqual([{ authorization: "Bearer t0ken" }]);
    expect(await headersOf(["http://a/mcp"], { header: { Authorization: "Basic b" } })).toEqual([
      { Authorization: "Basic b" },
    ]);
  });

  it("LETHE_TOKEN is not sent to one of several targets or to a server of a file", async () => {
    expect(await headersOf(["http://a/mcp", "http://b/mcp"])).toEqual([{}, {}]);
    expect(await headersOf(["http://a/mcp"], {}, ["node", "b.js"])).toEqual([{}, undefined]);
    expect(await headersOf(["docs"], { config })).toEqual([{ "x-key": "secret-of-docs" }]);
  });
});

describe("invalid targets", () => {
  it.each([
    ["a name without a file", ["docs"], undefined, /names need --config FILE/],
    ["nothing at all", [], undefined, /nothing to probe/],
    ["a name that the file does not have", ["nope"], "config", /no server "nope"; it has files, docs, browser/],
  ])("%s", async (_, words, from, message) => {
    await expect(resolveTargets(words, undefined, from ? { config } : {})).rejects.toThrow(message);
  });

  it("an HTTP API is rejected by name, and left out if no name is given", async () => {
    const api = { openapi: "./api.json", baseUrl: "https://api.example" };
    const apis = `${folder}/apis.json`;
    await writeFile(apis, JSON.stringify({ mcpServers: { api } }));
    const mixed = `${folder}/mixed.json`;
    await writeFile(mixed, JSON.stringify({ mcpServers: { api, docs: { url: "https://docs.example/mcp" } } }));
    await expect(resolveTargets([], undefined, { config: apis })).rejects.toThrow(/only HTTP APIs/);
    await expect(resolveTargets(["api"], undefined, { config: mixed })).rejects.toThrow(/api is an HTTP API/);
    expect(await resolveTargets([], undefined, { config: mixed })).toMatchObject([{ name: "docs" }]);
  });

  it("credentials for several servers are rejected", async () => {
    const options = { config, header: { authorization: "Bearer x" } };
    await expect(resolveTargets([], undefined, options)).rejects.toThrow(/one target at a time/);
    expect(await resolveTargets(["docs"], undefined, options)).toMatchObject([
      { headers: { "x-key": "secret-of-docs", authorization: "Bearer x" } },
    ]);
  });
});
