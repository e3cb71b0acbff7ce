// Serena keeps the active project in its process, although it speaks a revision without sessions. Its installation takes a
// minute, so only `npm run test:full` does it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probe } from "lethe/probe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway } from "../gateway/in-process.ts";
import { installPython, serena } from "../programs/python.ts";

const isFull = process.env.LETHE_FULL === "1";
const { python = "", reason } = isFull ? await installPython(serena) : { reason: "npm run test:full installs it" };
const isMissing = reason !== undefined;
const timeoutMs = 180_000;
/** Scripts of a moved virtual environment do not start. */
const program = "from serena.cli import top_level; top_level()";

describe.skipIf(isMissing)(`Serena, ${serena[0]}${isMissing ? ` (skipped: ${reason})` : ""}`, () => {
  let home: string;
  let gateway: RunningGateway;
  const target = () => ({
    command: python,
    args: ["-c", program, "start-mcp-server", "--enable-web-dashboard", "False", "--enable-gui-log-window", "False"],
    env: { HOME: home },
  });
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "lethe-serena-"));
    await writeFile(join(home, "main.py"), "answer = 42\n");
  });
  afterAll(async () => {
    await gateway?.close();
    await rm(home, { recursive: true, force: true });
  });

  it(
    "the gateway reports the arguments of Serena's tools that suggest state between calls",
    async () => {
      const report = await probe(target(), { startTimeoutMs: 60_000, timeoutMs: 30_000 });
      expect(report).toMatchObject({ confidence: "low", eras: { modern: { isSpoken: true } } });
      expect(JSON.stringify(report)).toContain('tool activate_project has an argument \\"session\\"');
    },
    timeoutMs,
  );

  it(
    "the gateway hides the active project of one Serena caller from another",
    async () => {
      gateway = await runGateway({
        upstreams: [{ kind: "stdio", name: "serena", startTimeoutMs: 120_000, ...target() }],
        callers: ["ann", "bob"],
      });
      const [ann, bob] = await Promise.all(["ann", "bob"].map((name) => gateway.connect({}, name)));
      if (!ann || !bob) throw new Error("two clients expected");
      const run = { code: "6 * 7", session: "s" };
      const activated = await ann.callTool("serena__activate_project", { project: home, session: "s" });
      expect(activated).not.toMatchObject({ isError: true });
      expect(await ann.callTool("serena__serena_repl", run)).toMatchObject({ content: [{ text: "42" }] });
      expect(await bob.callTool("serena__serena_repl", run)).toMatchObject({
        content: [{ text: expect.stringContaining("No active project") }],
      });
      await Promise.all([ann.close(), bob.close()]);
    },
    timeoutMs,
  );
});
