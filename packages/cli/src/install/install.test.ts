import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clients, type InstallTarget, type Machine } from "./clients.ts";
import { setInJson } from "./edit-json.ts";
import { setInToml } from "./edit-toml.ts";
import { toLineDiff } from "./line-diff.ts";
import { backupOf, readSettings, restoreSettings, writeSettings } from "./settings-file.ts";

const remote: InstallTarget = { url: "https://a.example/mcp", headers: { "X-A": "1" } };
const local: InstallTarget = { command: "node", args: ["a.js"], env: { A: "1" } };
const machineOf = (platform: NodeJS.Platform): Machine => ({
  platform,
  home: "/home",
  cwd: "/project",
  environment: {},
});

describe("the settings of a client", () => {
  it.each([
    ["claude-code", "linux", "user", "/home/.claude.json"],
    ["claude-code", "linux", "project", "/project/.mcp.json"],
    ["claude-desktop", "darwin", "user", "/home/Library/Application Support/Claude/claude_desktop_config.json"],
    ["claude-desktop", "win32", "user", "/home/AppData/Roaming/Claude/claude_desktop_config.json"],
    ["claude-desktop", "linux", "project", undefined],
    ["cursor", "linux", "user", "/home/.cursor/mcp.json"],
    ["vscode", "linux", "user", "/home/.config/Code/User/mcp.json"],
    ["vscode", "linux", "project", "/project/.vscode/mcp.json"],
    ["codex", "linux", "user", "/home/.codex/config.toml"],
    ["gemini", "linux", "project", "/project/.gemini/settings.json"],
  ] as const)("of %s on %s for the %s are in %s", (client, platform, scope, file) => {
    expect(clients[client]?.file(scope, machineOf(platform))).toBe(file);
  });

  it.each([
    ["claude-code", { type: "http", url: "https://a.example/mcp", headers: { "X-A": "1" } }],
    ["claude-desktop", { command: "npx", args: ["-y", "lethe@0.1.0", "bridge", "https://a.example/mcp"] }],
    ["cursor", { url: "https://a.example/mcp", headers: { "X-A": "1" } }],
    ["vscode", { type: "http", url: "https://a.example/mcp", headers: { "X-A": "1" } }],
    ["codex", { url: "https://a.example/mcp", http_headers: { "X-A": "1" } }],
    ["gemini", { httpUrl: "https://a.example/mcp", headers: { "X-A": "1" } }],
  ])("of %s get a server at a URL in its own form", (client, entry) => {
    expect(clients[client]?.toEntry(remote)).toEqual(entry);
  });

  it("get a command with its arguments and environment", () => {
    for (const client of Object.values(clients)) {
      expect(client.toEntry(local)).toMatchObject({ command: "node", args: ["a.js"], env: { A: "1" } });
    }
  });
});

describe("a server in JSON", () => {
  it("is added, and comments and other settings stay as they are", () => {
    const before =
      '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "old": { "command": "x" } // keep\n  }\n}\n';
    const after = setInJson("f", before, ["mcpServers", "new"], { command: "y" });
    expect(after).toContain('  // mine\n  "theme": "dark",\n');
    expect(after).toContain('"old": { "command": "x" }');
    expect(after).toContain("// keep");
    expect(after).toContain('"new"');
  });

  it("starts a new file", () => {
    expect(JSON.parse(setInJson("f", "", ["servers", "a"], { url: "u" }))).toEqual({ servers: { a: { url: "u" } } });
  });

  it.each([
    ['{\n  "a": 1,\n  "b" 2\n}', "f:3: not JSON"],
    ["[]", "f:1: an object is expected"],
    ['{"mcpServers": []}', 'f: "mcpServers" must be an object'],
  ])("is not added to %j", (text, message) => {
    expect(() => setInJson("f", text, ["mcpServers", "a"], {})).toThrow(message);
  });
});

describe("a server in TOML", () => {
  const before =
    '# mine\nmodel = "o" # keep\n\n[mcp_servers.old]\ncommand = "x"\n\n[mcp_servers.old.env]\nA = "1"\n\n[tui]\nb = 1\n';

  it("is added at the end, and every other line stays as it is", () => {
    const after = setInToml("f", before, ["mcp_servers", "new"], { command: "y", args: ["-a"] });
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toMatch(/\[mcp_servers\.new\]\ncommand = "y"\nargs = \[\s*"-a"\s*\]/);
  });

  it("replaces the server of the same name with its tables", () => {
    const after = setInToml("f", before, ["mcp_servers", "old"], { url: "u" });
    expect(after).toContain('# mine\nmodel = "o" # keep\n');
    expect(after).toContain("[tui]\nb = 1\n");
    expect(after).not.toContain('A = "1"');
    expect(after).toContain('[mcp_servers.old]\nurl = "u"');
  });

  it("is not added to a file that is not TOML, or next to a form that cannot be replaced", () => {
    expect(() => setInToml("f", 'a = 1\nb = "', ["mcp_servers", "a"], {})).toThrow(/^f:2: not TOML/);
    const inline = 'mcp_servers = { a = { command = "x" } }\n';
    expect(() => setInToml("f", inline, ["mcp_servers", "a"], { command: "y" })).toThrow("f");
  });
});

it("a change is shown with the lines around it", () => {
  expect(toLineDiff("a\nb\nc\nd\n", "a\nb\nX\nd\n")).toEqual(["  a", "  b", "- c", "+ X", "  d", "  "]);
  expect(toLineDiff("a", "a")).toEqual([]);
});

describe("the file", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "lethe-install-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("keeps its mode, and is restored from its backup", async () => {
    const file = join(folder, "settings.json");
    await writeFile(file, "before", { mode: 0o640 });
    await writeSettings(file, "before", "after");
    expect(await readFile(file, "utf8")).toBe("after");
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await stat(backupOf(file))).mode & 0o777).toBe(0o600);
    await restoreSettings(file, (await readSettings(backupOf(file))) ?? "");
    expect(await readFile(file, "utf8")).toBe("before");
    expect(await readSettings(backupOf(file))).toBeUndefined();
  });

  it("is removed again if it was new", async () => {
    const file = join(folder, "new", "settings.json");
    await writeSettings(file, undefined, "after");
    await restoreSettings(file, (await readSettings(backupOf(file))) ?? "?");
    expect(await readSettings(file)).toBeUndefined();
  });
});
