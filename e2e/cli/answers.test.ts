// Runs the client commands from a script: answers given in advance, servers over HTTP and as commands.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLethe, runLetheWith } from "../processes/lethe.ts";
import { type RunningServer, startServer } from "../processes/server.ts";

const script = (path: string): string[] => ["--", process.execPath, path];
const tracker = [...script("examples/tracker/dist/server.js"), "--stdio"];
const everything = script("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

describe("lethe call without a terminal", () => {
  it("lethe call without a terminal fails on an input request and says how to answer it", async () => {
    const { code, stdout, stderr } = await runLethe("call", "resolve_bug", '{"id": 1}', ...tracker);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain("the server requests input: How was bug #1 resolved?");
    expect(stderr).toContain(`--answer '{"resolution":"Fixed"}'`);
  });

  it("lethe call without a terminal uses the given answers in order", async () => {
    const answers = ["--answer", '{"resolution": "Duplicate"}', "--answer", '{"duplicateOf": 2}'];
    const { code, stdout, stderr } = await runLethe("call", "resolve_bug", '{"id": 1}', ...answers, ...tracker);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, duplicateOf: 2 });
    expect(stderr).toContain('Which bug is the original? → {"action":"accept","content":{"duplicateOf":2}}');
  });

  it("lethe call without a terminal reads answers from a file and names the unused ones", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lethe-"));
    const file = join(folder, "answers.json");
    await writeFile(file, '[{"resolution": "Fixed"}, {"more": true}]');
    const { code, stderr } = await runLethe("call", "resolve_bug", '{"id": 1}', "--answers", file, ...tracker);
    expect(code).toBe(0);
    expect(stderr).toContain('no input request used the answer {"more":true}');
    await rm(folder, { recursive: true });
  });

  it("lethe call without a terminal explains why an answer is invalid", async () => {
    const answer = ["--answer", '{"resolution": "Done"}'];
    const { code, stderr } = await runLethe("call", "resolve_bug", '{"id": 1}', ...answer, ...tracker);
    expect(code).toBe(4);
    expect(stderr).toContain('{"resolution":"Done"} does not fit: "resolution" must be one of Fixed');
  });
});

describe("lethe with a legacy stdio server", () => {
  it("lethe with a legacy stdio server answers form elicitations, URL elicitations and sampling requests", async () => {
    const form = ["trigger-elicitation-request", "--answer", '{"name": "Ada", "check": true}'];
    expect((await runLethe("call", ...form, ...everything)).stdout).toContain("Ada");
    const url = ["trigger-url-elicitation", '{"url": "https://example.com/consent", "message": "please"}'];
    const unanswered = await runLethe("call", ...url, ...everything);
    expect(unanswered).toMatchObject({ code: 4, stderr: expect.stringContaining("https://example.com/consent") });
    expect((await runLethe("call", ...url, "--answer", '{"action": "accept"}', ...everything)).code).toBe(0);
    const sample = ["trigger-sampling-request", '{"prompt": "p"}', "--answer", '{"text": "from a person"}'];
    expect((await runLethe("call", ...sample, ...everything)).stdout).toContain("from a person");
  });

  it("lethe with a legacy stdio server sends the given roots", async () => {
    const folder = await realpath(tmpdir());
    const { stdout } = await runLethe("call", "get-roots-list", "--root", folder, ...everything);
    expect(stdout).toContain(`file://${folder}`);
  });

  it("lethe with a legacy stdio server lists the tools for capable clients, and the server's name and revision", async () => {
    const { code, stdout } = await runLethe("list", ...everything);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mcp-servers\/everything \S+, revision 2025-11-25\n\nTools \(\d+\)\n/);
    expect(stdout).toContain("trigger-elicitation-request");
  });

  it("lethe with a legacy stdio server passes only the given environment variables", async () => {
    const own = { LETHE_E2E_SECRET: "s3cret", LETHE_E2E_PASSED: "passed" };
    const variables = ["--env", "LETHE_E2E_SET=set", "--env", "LETHE_E2E_PASSED"];
    const { stdout } = await runLetheWith(own, "call", "get-env", ...variables, ...everything);
    expect(JSON.parse(stdout)).toMatchObject({ LETHE_E2E_SET: "set", LETHE_E2E_PASSED: "passed" });
    expect(stdout).not.toContain("s3cret");
  });

  it("lethe with a legacy stdio server explains in one sentence why a server does not start", async () => {
    const { code, stderr } = await runLethe("list", "--", "no-such-command-anywhere");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: cannot start no-such-command-anywhere: there is no command .*ENOENT\)\nCheck that .*\n$/,
    );
  });

  it("lethe with a legacy stdio server reads resources and gets prompts", async () => {
    const text = "demo://resource/dynamic/text/1";
    expect((await runLethe("read", text, ...everything)).stdout).toContain("Resource 1");
    const { stdout } = await runLethe("read", "demo://resource/dynamic/blob/1", ...everything);
    expect(stdout).toContain("Resource 1");
    const prompt = await runLethe("prompt", "args-prompt", '{"city": "Paris"}', ...everything);
    expect(prompt.stdout).toMatch(/^user: .*Paris/);
    expect((await runLethe("prompt", "args-prompt", '{"city": 1}', ...everything)).code).toBe(1);
  });
});

describe("lethe with a server over HTTP", () => {
  const servers: RunningServer[] = [];
  let importer: string;
  let notes: string;

  beforeAll(async () => {
    const start = async (name: string) => {
      const server = await startServer(`examples/dist/${name}.js`, { env: { PORT: "0" } });
      servers.push(server);
      return server.url;
    };
    [importer, notes] = await Promise.all([start("progress-and-logging"), start("authorization")]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it("lethe with a server over HTTP prints progress and log messages to stderr on request", async () => {
    const call = ["call", importer, "import_files", '{"files": ["a", "b"]}'];
    const shown = await runLethe(...call, "--progress", "--log", "debug");
    expect(shown.stdout).toBe("2 files imported\n");
    expect(shown.stderr).toBe(
      '[debug] importer: {"file":"a","bytes":1}\na 1/2\n[debug] importer: {"file":"b","bytes":1}\nb 2/2\n' +
        "[info] importer: all files imported\n",
    );
    expect((await runLethe(...call)).stderr).toBe("");
  });

  it("lethe with a server over HTTP sends the token from the environment (B-78), and explains how to set a missing one", async () => {
    const locked = await runLethe("call", notes, "list_notes");
    expect(locked.code).toBe(2);
    expect(locked.stderr).toContain("Log in with --login, or set the environment variable LETHE_TOKEN");
    const { code, stdout } = await runLetheWith({ LETHE_TOKEN: "the-key-of-a-reader" }, "call", notes, "list_notes");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Buy milk\n" });
  });

  it("lethe with a server over HTTP prints the whole result as JSON on request and exits with a code of its own for a tool error", async () => {
    const { code, stdout } = await runLethe("call", importer, "import_files", "{}", "--json");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ isError: true });
  });
});
