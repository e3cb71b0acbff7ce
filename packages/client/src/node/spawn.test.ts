// Server processes: what they get, how they end, and that nothing of them is left (C-2, C-8).
import { describe, expect, it, vi } from "vitest";
import { type ServerProcess, type SpawnOptions, spawnServer } from "./spawn.ts";
import { careless, isRunning, script, stubborn } from "./testing/scripts.ts";

const start = (args: string[], options: SpawnOptions = {}, env: Record<string, string> = {}) =>
  spawnServer({ command: process.execPath, args, env }, { stopTimeoutMs: 300, ...options });

/** The first line that the process writes. */
async function firstLine({ stdout }: ServerProcess): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return JSON.parse(text);
}

async function childOf(server: ServerProcess): Promise<number> {
  const { params } = await firstLine(server);
  return (params as { pid: number }).pid;
}

describe("starting a server process", () => {
  it("a server gets the minimal environment and its configured variables", async () => {
    process.env.LETHE_TEST_SECRET = "s";
    const server = await start(script("write(process.env)"), {}, { GIVEN: "g" });
    const environment = await firstLine(server);
    expect(environment).toMatchObject({ PATH: process.env.PATH, GIVEN: "g" });
    expect(environment).not.toHaveProperty("LETHE_TEST_SECRET");
    await server.stop();
  });

  it("the error for a server that cannot be started names it and the reason", async () => {
    await expect(spawnServer({ command: "/nowhere/at-all", args: ["x"] })).rejects.toMatchObject({
      name: "TransportError",
      reason: "unreachable",
      message: expect.stringMatching(/cannot start \/nowhere\/at-all x: .*ENOENT/),
    });
  });

  it.each([
    [{ command: "node", cwd: "/nowhere" }, "cannot start node (in /nowhere): there is no folder /nowhere (ENOENT)"],
    [
      { command: "no-such-command" },
      'cannot start no-such-command: there is no command "no-such-command" in PATH (ENOENT)',
    ],
    [
      { command: "node server.js" },
      'cannot start node server.js: there is no command "node server.js" in PATH (ENOENT); what follows its name belongs into the arguments',
    ],
  ])("that is not there is told apart from a folder that is not: %j", async (target, message) => {
    await expect(spawnServer(target)).rejects.toMatchObject({ message });
  });

  it("a server may write any amount to stderr, and its end is kept (C-2)", async () => {
    const lines: string[] = [];
    const noise = "for (let i = 0; i < 20000; i++) console.error('line ' + i); process.exitCode = 3; lines.close()";
    const server = await start(script(noise), { onStderr: (line) => lines.push(line) });
    expect(await server.exited).toEqual({ code: 3, signal: null });
    expect(lines).toHaveLength(20_000);
    expect(server.stderrTail()).toHaveLength(64 * 1024);
    expect(server.stderrTail().endsWith("line 19999\n")).toBe(true);
  });

  it("a slow reader of stderr gets every line of a server that has exited", async () => {
    const lines: string[] = [];
    const noise = "for (let i = 0; i < 400; i++) console.error('line ' + i); lines.close()";
    const onStderr = (line: string) => {
      lines.push(line);
      for (const end = performance.now() + 4; performance.now() < end; );
    };
    const server = await start(script(noise), { onStderr });
    await server.exited;
    expect(lines).toHaveLength(400);
  });

  it("a reader that rests for more than a second gets every line of a server that has exited", async () => {
    const lines: string[] = [];
    const noise = "for (let i = 0; i < 10000; i++) console.error('line ' + i); lines.close()";
    const onStderr = (line: string) => {
      lines.push(line);
      // One long read, after which the reader has to rest as long.
      if (lines.length === 1) for (const end = performance.now() + 2_500; performance.now() < end; );
    };
    const server = await start(script(noise), { onStderr });
    await server.exited;
    expect(lines).toHaveLength(10_000);
  });
});

describe("stopping a server", () => {
  it("stopping closes stdin, and a server that exits then gets no signal (C-8)", async () => {
    const server = await start(script("process.on('SIGTERM', () => process.exit(9)); read(() => {})"));
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it("stopping sends SIGTERM to a server that does not exit with stdin", async () => {
    const server = await start(script("setInterval(() => {}, 1000); write('{}')"));
    await firstLine(server);
    expect(await server.stop()).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("stopping kills a server that ignores SIGTERM with its descendants, and can be requested twice", async () => {
    const server = await start(stubborn);
    const child = await childOf(server);
    expect(isRunning(child)).toBe(true);
    expect(await Promise.all([server.stop(), server.stop()])).toEqual(Array(2).fill({ code: null, signal: "SIGKILL" }));
    expect([isRunning(server.pid), isRunning(child)]).toEqual([false, false]);
  });

  it("stopping kills the descendants that a server leaves behind", async () => {
    const server = await start(careless);
    const child = await childOf(server);
    await server.stop();
    expect([isRunning(server.pid), isRunning(child)]).toEqual([false, false]);
  });
});

describe("a server that another process kills", () => {
  it("the descendants of a killed server are stopped", async () => {
    const server = await start(stubborn);
    const child = await childOf(server);
    process.kill(server.pid, "SIGKILL");
    expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
    await server.stop();
    // A killed process is gone a moment later.
    await vi.waitFor(() => expect(isRunning(child)).toBe(false));
  });
});
