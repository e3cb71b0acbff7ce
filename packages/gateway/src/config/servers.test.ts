// Servers as desktop clients and editors write them down, unchanged.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ReadConfigOptions } from "./read-config.ts";
import { parseSourceFile } from "./source-file.ts";
import { toConfig } from "./to-config.ts";

function read(value: unknown, options: Partial<ReadConfigOptions> = {}, file = "/etc/lethe/servers.json") {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return toConfig([parseSourceFile(file, text)], { environment: {}, ...options });
}

const upstreams = (...args: Parameters<typeof read>) => read(...args).config.upstreams;
const one = (entry: object, options?: Partial<ReadConfigOptions>, file?: string) =>
  upstreams({ mcpServers: { a: entry } }, options, file)[0];

describe("an mcpServers file", () => {
  it("reads local and remote servers in the order of the file", () => {
    const servers = {
      fs: { command: "npx", args: ["-y", "pkg"], env: { K: "v" }, cwd: "data" },
      gh: { type: "http", url: "https://h.example/mcp", headers: { Authorization: "Bearer t" } },
    };
    expect(upstreams({ mcpServers: servers })).toEqual([
      { kind: "stdio", name: "fs", command: "npx", args: ["-y", "pkg"], env: { K: "v" }, cwd: "/etc/lethe/data" },
      { kind: "http", name: "gh", url: "https://h.example/mcp", headers: { Authorization: "Bearer t" } },
    ]);
  });

  it("accepts comments, trailing commas and a byte order mark", () => {
    const text = '\uFEFF{\n // local\n "mcpServers": { "a": { "command": "x", /* none */ "args": [], }, },\n}';
    expect(upstreams(text)).toMatchObject([{ name: "a", command: "x" }]);
  });

  it("ignores members of other clients and leaves out disabled servers", () => {
    const servers = {
      a: { command: "x", alwaysAllow: [], trust: true, description: "d", autoApprove: ["y"] },
      b: { command: "${NOT_SET}", disabled: true },
      c: { url: "no url", enabled: false },
    };
    expect(upstreams({ mcpServers: servers }).map(({ name }) => name)).toEqual(["a"]);
  });

  it("recognizes secrets in arguments, URLs and variables, wherever these are used", () => {
    const servers = {
      a: { command: "x", args: ["--api-key", "of-an-argument", "--port=330000", "--header", "X-Own: ${MY_TOKEN}"] },
      b: { url: "https://me:of-an-address@h.example/mcp?access_token=of-a-query&region=somewhere" },
      d: { url: "https://h.example/mcp", headers: { Authorization: "Bearer of-a-header", "X-Key": "of-another" } },
      c: { command: "x", env: { LOG: "${MY_PASSWORD:-of-a-default}", PLACE: "${PLACE}", FROM: "${AUTH_ISSUER}" } },
    };
    const environment = { MY_TOKEN: "of-a-variable", PLACE: "no-secret", AUTH_ISSUER: "https://as.example" };
    const { secrets } = read({ mcpServers: servers }, { environment });
    expect(secrets.toSorted()).toEqual([
      "of-a-default",
      "of-a-header",
      "of-a-query",
      "of-a-variable",
      "of-an-address",
      "of-an-argument",
      "of-another",
    ]);
  });

  it.each([
    ["stdio", { command: "x" }, { kind: "stdio" }],
    ["local", { command: "x" }, { kind: "stdio" }],
    ["http", { url: "https://h/mcp" }, { kind: "http" }],
    ["streamable-http", { url: "https://h/mcp" }, { transport: "streamable-http" }],
    ["streamableHttp", { url: "https://h/mcp" }, { transport: "streamable-http" }],
    ["streamable_http", { url: "https://h/mcp" }, { transport: "streamable-http" }],
    ["sse", { url: "https://h/sse" }, { transport: "http-sse" }],
    ["SSE", { url: "https://h/sse" }, { transport: "http-sse" }],
  ])('accepts "%s" as type, transport or transportType', (spelling, entry, expected) => {
    for (const member of ["type", "transport", "transportType"]) {
      expect(one({ ...entry, [member]: spelling })).toMatchObject(expected);
    }
  });

  it.each([
    [{ url: "https://h/mcp" }, { kind: "http", url: "https://h/mcp" }],
    [{ serverUrl: "https://h/mcp" }, { kind: "http", url: "https://h/mcp" }],
    [{ httpUrl: "https://h/mcp" }, { kind: "http", url: "https://h/mcp", transport: "streamable-http" }],
    [
      { command: "x", url: "https://h/mcp" },
      { kind: "stdio", command: "x" },
    ],
  ])("infers the transport of a server without a type: %j", (entry, expected) => {
    expect(one(entry)).toMatchObject(expected);
  });

  it.each([
    [60, 60_000],
    [3_600, 3_600_000],
    [30_000, 30_000],
  ])("reads a timeout of %d in seconds or milliseconds depending on its size: %d ms", (timeout, timeoutMs) => {
    expect(one({ command: "x", timeout })).toMatchObject({ timeoutMs });
  });

  it("applies the tool filters of other clients", () => {
    expect(one({ command: "x", includeTools: ["a"], excludeTools: ["b"] })).toMatchObject({
      tools: { allow: ["a"], deny: ["b"] },
    });
    expect(one({ command: "x", disabledTools: ["c"] })).toMatchObject({ tools: { deny: ["c"] } });
  });

  it("gives every server a name that is valid in a path and a tool name, and reports changed names", () => {
    const { config, notes } = read({
      mcpServers: {
        "io.github.upstash/context7": { command: "x" },
        "My Server": { command: "y" },
        日本: { command: "z" },
      },
    });
    expect(config.upstreams.map(({ name }) => name)).toEqual([
      "io.github.upstash-context7",
      "My-Server",
      expect.stringMatching(/^server-[0-9a-f]{6}$/),
    ]);
    expect(notes[0]).toBe('"io.github.upstash/context7" is served under the name io.github.upstash-context7');
  });

  it("keeps two long server names with equal beginnings distinct", () => {
    const long = "a-very-long-name-that-goes-on-and-on";
    const names = upstreams({ mcpServers: { [`${long}-1`]: { command: "x" }, [`${long}-2`]: { command: "x" } } });
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
    for (const { name } of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,32}$/);
  });

  it("a server's entry may contain headers that the protocol sets, which are ignored with a note", () => {
    const headers = { "Content-Type": "application/json", Accept: "*/*", "x-team": "a" };
    const { config, notes } = read({ mcpServers: { a: { url: "https://h/mcp", headers } } });
    expect(config?.upstreams[0]).toMatchObject({ headers: { "x-team": "a" } });
    expect(notes).toEqual(["a: the headers Content-Type and Accept are ignored, because the protocol sets them"]);
  });

  it("notes that a header helper is not run", () => {
    const { notes } = read({ mcpServers: { a: { url: "https://h/mcp", headersHelper: "./token.sh" } } });
    expect(notes).toEqual(['a: "headersHelper" is not read here; see gateway.upstreams.a.credentials']);
  });
});

describe("a VS Code file", () => {
  const file = "/home/me/project/.vscode/mcp.json";

  it("reads servers, inputs and the workspace folder of a VS Code file", () => {
    const value = {
      servers: {
        x: {
          type: "stdio",
          command: "npx",
          args: ["${workspaceFolder}/a"],
          env: { K: "${input:k}", N: 8, GONE: null },
        },
        y: { type: "http", url: "https://h/mcp", headers: {} },
      },
      inputs: [{ type: "promptString", id: "k", description: "API key", password: true }],
    };
    const { config, secrets } = read(value, { inputs: { k: "hidden-value" } }, file);
    expect(config.upstreams).toEqual([
      {
        kind: "stdio",
        name: "x",
        command: "npx",
        args: ["/home/me/project/a"],
        env: { K: "hidden-value", N: "8" },
        cwd: "/home/me/project",
      },
      { kind: "http", name: "y", url: "https://h/mcp", headers: {} },
    ]);
    expect(secrets).toEqual(["hidden-value"]);
  });

  it("reads servers from the general settings of VS Code", () => {
    const value = {
      "editor.fontSize": 12,
      mcp: { inputs: [{ id: "k", default: "d" }], servers: { x: { command: "run", args: ["${input:k}"] } } },
    };
    expect(upstreams(value)).toMatchObject([{ name: "x", args: ["d"] }]);
  });

  it.each([".vscode", ".cursor"])("resolves relative paths in the project around %s", (folder) => {
    const inFolder = `/home/me/project/${folder}/mcp.json`;
    expect(one({ command: "x", cwd: "sub" }, {}, inFolder)).toMatchObject({ cwd: "/home/me/project/sub" });
  });
});

describe("variables in a configuration", () => {
  const environment = { TOKEN: "t", EMPTY: "" };

  it.each([
    ["${TOKEN}", "t"],
    ["${env:TOKEN}", "t"],
    ["Bearer ${TOKEN}!", "Bearer t!"],
    ["${NOPE:-80}", "80"],
    ["${env:NOPE:-80}", "80"],
    ["${NOPE:-}", ""],
    ["${EMPTY}", ""],
    ["${EMPTY:-x}", "x"],
    ["${NOPE:-https://h:1/-}", "https://h:1/-"],
    ["${userHome}/x", `${homedir()}/x`],
    ["${workspaceFolder}${/}x", "/etc/lethe/x"],
    ["${workspaceFolderBasename}", "lethe"],
    ["${}", "${}"],
    ["$TOKEN", "$TOKEN"],
    ["${1}", "${1}"],
    ["${constructor}", /needs the environment variable constructor/],
    ["${NOPE}", /a\.args\[0\] needs the environment variable NOPE, which is not set/],
    ["${command:pick}", /uses \$\{command:pick\}, which only an editor can resolve/],
    ["${input:my-key}", /needs the input "my-key": set LETHE_INPUT_MY_KEY, or give --input my-key=VALUE/],
  ])("replaces the variable %s with %s", (text, expected) => {
    if (typeof expected === "string")
      expect(one({ command: "x", args: [text] }, { environment })).toMatchObject({ args: [expected] });
    else expect(() => one({ command: "x", args: [text] }, { environment })).toThrow(expected);
  });

  it("takes an input from the command line, the environment or its default, in that order", () => {
    const value = { servers: { a: { command: "${input:my-key}" } }, inputs: [{ id: "my-key", default: "c" }] };
    const environment = { LETHE_INPUT_MY_KEY: "b" };
    expect(upstreams(value, { environment, inputs: { "my-key": "a" } })).toMatchObject([{ command: "a" }]);
    expect(upstreams(value, { environment })).toMatchObject([{ command: "b" }]);
    expect(upstreams(value)).toMatchObject([{ command: "c" }]);
  });

  it("requires the value of a pick input to be one of its options", () => {
    const inputs = [{ type: "pickString", id: "k", options: ["a", { label: "B", value: "b" }] }];
    const value = { servers: { a: { command: "${input:k}" } }, inputs };
    expect(upstreams(value, { inputs: { k: "b" } })).toMatchObject([{ command: "b" }]);
    expect(() => read(value, { inputs: { k: "c" } })).toThrow('needs the input "k" to be a or b, got "c"');
  });
});

describe("an envFile", () => {
  const folder = mkdtempSync(join(tmpdir(), "lethe-config-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("reads an envFile, gives env precedence and watches the file", () => {
    writeFileSync(join(folder, ".env"), 'A=1\nB="two words"\nAPI_TOKEN=token-in-a-file\n');
    const entry = { command: "x", envFile: "${workspaceFolder}/.env", env: { A: "own" } };
    const { config, files, secrets } = read({ mcpServers: { a: entry } }, {}, join(folder, "servers.json"));
    expect(secrets).toEqual(["token-in-a-file"]);
    expect(config.upstreams).toMatchObject([{ env: { A: "own", B: "two words" } }]);
    expect(files).toEqual([join(folder, "servers.json"), join(folder, ".env")]);
  });

  it("reports a missing envFile", () => {
    const entry = { command: "x", envFile: "gone.env" };
    expect(() => one(entry, {}, join(folder, "servers.json"))).toThrow(
      `a.envFile names ${join(folder, "gone.env")}: no such file`,
    );
  });
});
