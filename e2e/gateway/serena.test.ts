// Serena keeps a Python REPL in its process, under a `session` argument of a tool, and speaks a revision without sessions.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@lethe/client";
import { probe, toText } from "@lethe/probe";
import type { JsonObject } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPython } from "../programs/python.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const installed = await installPython(["serena-agent==2.1.0"]);
const isMissing = installed.reason !== undefined;
const why = isMissing ? ` (skipped: ${installed.reason})` : "";
const command = installed.python ?? "";
// The installed script names the folder that pip ran in.
const script = "from serena.cli import top_level; top_level()";
const args = ["-c", script, "start-mcp-server", "--enable-web-dashboard", "false"];

describe.skipIf(isMissing)(`Serena${why}`, () => {
  let home: string;
  let project: string;
  let running: RunningGateway | undefined;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "lethe-serena-"));
    project = join(home, "project");
    await mkdir(project);
    await writeFile(join(project, "main.py"), "answer = 42\n");
  });
  afterAll(async () => {
    await running?.close();
    await rm(home, { recursive: true, force: true });
  });

  it("is reported with the argument that shows what it keeps", async () => {
    const report = await probe({ command, args, env: { HOME: home } }, { startTimeoutMs: 60_000, timeoutMs: 60_000 });
    expect(report).toMatchObject({
      ...{ word: "STATELESS", era: "modern", confidence: "low", advice: { pooling: "session-per-key" } },
      keptState: ['tool activate_project has an argument "session"', 'tool serena_repl has an argument "session"'],
    });
    expect(toText(report)).toContain("kept between calls? Probably");
  }, 120_000);

  it("keeps the project and the variables of one caller from another caller that names the same session", async () => {
    const upstream = stdioUpstream("serena", args, { command, env: { HOME: home }, sessions: { waitMs: 60_000 } });
    running = await runGateway({ upstreams: [upstream], callers: ["ann", "bob"], startTimeoutMs: 60_000 });
    const call = async (client: Client, tool: string, more: JsonObject): Promise<string> => {
      const { content } = await client.callTool(`serena__${tool}`, { session: "s", ...more });
      return JSON.stringify(content);
    };
    const evaluate = (client: Client, code: string) => call(client, "serena_repl", { code });
    const [ann, bob] = [await running.connect({}, "ann"), await running.connect({}, "bob")];
    await call(ann, "activate_project", { project });
    await evaluate(ann, "x = 41");
    expect(await evaluate(ann, "x + 1")).toContain("42");
    expect(await evaluate(bob, "x + 1")).toContain("No active project");
    await Promise.all([ann.close(), bob.close()]);
  }, 180_000);
});
