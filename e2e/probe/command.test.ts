// Tests `lethe probe`: exit codes, output formats and configuration files.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { ProbeReport } from "lethe/probe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLethe } from "../processes/lethe.ts";
import type { Fixture } from "../servers/fixture.ts";
import { startStatefulV1 } from "../servers/official-v1.ts";
import { startV2 } from "../servers/official-v2.ts";
import { stdioServers } from "../servers/published.ts";

let stateful: Fixture;
let stateless: Fixture;
let folder: string;

beforeAll(async () => {
  stateful = await startStatefulV1();
  stateless = await startV2("stateless");
  folder = await mkdtemp(`${tmpdir()}/lethe-probe-`);
  await mkdir(`${folder}/.vscode`);
});
afterAll(async () => {
  await stateful.close();
  await stateless.close();
  await rm(folder, { recursive: true });
});

describe("lethe probe", () => {
  it("lethe probe exits with 0 for stateless, 10 for stateful, 20 for unknown and 1 for a usage error", async () => {
    const runs = await Promise.all([
      runLethe("probe", stateless.url),
      runLethe("probe", stateful.url),
      runLethe("probe", "http://127.0.0.1:1/mcp"),
      runLethe("probe", "ftp://x"),
      runLethe("probe"),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([0, 10, 20, 1, 1]);
    expect(runs[0]?.stdout).toMatch(/^STATELESS {2}http/);
    expect(runs[1]?.stdout).toMatch(/^STATEFUL {2}http/);
    expect(runs[2]?.stdout).toMatch(/^UNKNOWN {2}http/);
    expect(runs[3]?.stderr).toContain("need --config FILE");
  });

  it("lethe probe compares the verdict with --expect and prints the actual one", async () => {
    const [right, wrong] = await Promise.all([
      runLethe("probe", stateful.url, "--expect", "stateful"),
      runLethe("probe", stateful.url, "--expect", "stateless"),
    ]);
    expect([right?.code, wrong?.code]).toEqual([0, 10]);
    expect(wrong?.stderr).toContain("expected STATELESS, got STATEFUL");
  });
});

it("lethe probe passes the options after -- to the command", async () => {
  const { command, args } = stdioServers.everything;
  const { code, stdout } = await runLethe("probe", "--json", "--restart", "--", command, ...args);
  const report = JSON.parse(stdout);
  expect({ code, word: report.word, transport: report.transport }).toEqual({
    code: 10,
    word: "STATEFUL",
    transport: "stdio",
  });
  expect(report.target.address).toMatch(/index\.js stdio$/);
  expect(report.instances).toHaveLength(1);
});

it("lethe probe sends --header to the server only, and prints Markdown with --markdown", async () => {
  const secret = "Bearer do-not-print-this";
  const { stdout } = await runLethe("probe", stateless.url, "--header", `Authorization: ${secret}`, "--markdown");
  expect(stdout).toMatch(/^## `http.*` is STATELESS/);
  expect(stdout).not.toContain("do-not-print-this");
});

describe("lethe probe --config", () => {
  it("lethe probe --config probes all servers of an mcpServers file, or the named ones", async () => {
    const file = `${folder}/servers.json`;
    const mcpServers = {
      one: { type: "http", url: "${ONE_URL:-http://127.0.0.1:1/}", disabled: true },
      two: { url: stateless.url },
      three: { url: stateful.url },
    };
    // A configured value, which auto accepts.
    const gateway = { upstreams: { three: { era: "modern" } } };
    await writeFile(file, JSON.stringify({ mcpServers, gateway }));
    const [all, named, wrong] = await Promise.all([
      runLethe("probe", "--config", file, "--json"),
      runLethe("probe", "three", "--config", file, "--json", "--method", "behaviour"),
      runLethe("probe", "four", "--config", file),
    ]);
    const words = (text = "") => {
      const reports = JSON.parse(text) as ProbeReport[];
      return reports.map(({ target, word, decidedBy }) => [target.name, word, decidedBy]);
    };
    expect(words(all?.stdout)).toEqual([
      ["two", "STATELESS", "behaviour"],
      ["three", "STATELESS", "configuration"],
    ]);
    expect(words(named?.stdout)).toEqual([["three", "STATEFUL", "behaviour"]]);
    expect([all?.code, named?.code, wrong?.code]).toEqual([0, 10, 1]);
    expect(wrong?.stderr).toContain('has no server "four"; it has two, three');
  });

  it("lethe probe --config reads VS Code's mcp.json and prints no secret inputs", async () => {
    const file = `${folder}/.vscode/mcp.json`;
    const { command } = stdioServers.everything;
    const program = "console.error('I was told', process.argv[1]); process.exit(0)";
    const servers = { "my server": { type: "stdio", command, args: ["-e", program, "${input:probe-key}"] } };
    await writeFile(
      file,
      JSON.stringify({ servers, inputs: [{ id: "probe-key", type: "promptString", password: true }] }),
    );
    process.env.LETHE_INPUT_PROBE_KEY = "nobody-may-read-this";
    const { code, stdout } = await runLethe("probe", "--config", file);
    delete process.env.LETHE_INPUT_PROBE_KEY;
    expect(code).toBe(20);
    expect(stdout).toContain("I was told ***");
    expect(stdout).not.toContain("nobody-may-read-this");
  });

  it("lethe probe --config sends credentials to one server only", async () => {
    const { code, stderr } = await runLethe(
      "probe",
      stateful.url,
      stateless.url,
      "--header",
      "Authorization: Bearer x",
    );
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("one target at a time") });
  });
});
