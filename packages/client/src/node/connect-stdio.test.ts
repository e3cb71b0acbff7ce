// Which era a server process speaks (D.2), with programs of every habit that was seen (J-28, J-29).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { createVerdictMemory } from "../era/verdict-memory.ts";
import { createFakeExchange, modernRequest } from "../legacy/testing/fake-legacy-server.ts";
import { type ConnectStdioOptions, connectStdio } from "./connect-stdio.ts";
import { discovered, initialize, initialized, legacy, modern, server } from "./testing/eras.ts";
import { isRunning, script } from "./testing/scripts.ts";

const launch = (args: string[], options: ConnectStdioOptions = {}) =>
  connectStdio({ command: process.execPath, args }, { stopTimeoutMs: 300, probeTimeoutMs: 20_000, ...options });

/** The era, and whether a call works; stops the process. */
async function eraOf(args: string[], options?: ConnectStdioOptions): Promise<string> {
  const connection = await launch(args, options);
  const result = await connection.dispatch(modernRequest("tools/call", { name: "t" }), createFakeExchange());
  expect(result).toMatchObject({ resultType: "complete", content: [{ text: expect.stringContaining("called") }] });
  await connection.close();
  return connection.era;
}

const called = "result({ resultType: 'complete', content: [{ type: 'text', text: 'called' }] })";
const [discover, calls] = ["server/discover", { "tools/call": called }] as const;

describe("detecting a modern server over stdio", () => {
  it("a server that answers server/discover with versions is modern (D.2/3)", async () => {
    const connection = await launch(modern);
    expect(connection).toMatchObject({
      era: "modern",
      revision: "2026-07-28",
      server: { capabilities: { tools: {} } },
    });
    await connection.close();
  });

  it("a server that offers the version that it rejected is modern if it accepts it the second time (J-22)", async () => {
    const moody =
      "globalThis.asked ? result(discovered) : error(-32022, { supported: ['2026-07-28'] }); globalThis.asked = true";
    expect(await eraOf(server({ [discover]: moody, ...calls }))).toBe("modern");
  });

  it("a slow server that rejects initialize and names modern revisions is modern", async () => {
    const slow = server({
      [discover]: "setTimeout(() => result(discovered), 400)",
      initialize: "error(-32022, { supported: ['2026-07-28'] })",
      ...calls,
    });
    expect(await eraOf(slow, { probeTimeoutMs: 100, initializeTimeoutMs: 5_000 })).toBe("modern");
  });
});

describe("detecting a legacy server over stdio", () => {
  it.each([-32601, -32602, -32600, 0, -32000])(
    "a server that answers server/discover with error %i is legacy (D.2/5)",
    async (code) => {
      expect(await eraOf(server({ [discover]: `error(${code})`, initialize, ...calls }))).toBe("legacy");
    },
  );

  it.each([
    ["an error without id (J-29)", "write({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } })"],
    ["something that has no versions", "result({ tools: [] })"],
    ["a list of older versions", "result({ ...discovered, supportedVersions: ['2025-11-25'] })"],
    ["a refusal that names older versions only (D-2)", "error(-32022, { supported: ['2025-06-18'] })"],
    ["its own end (J-28)", "process.exit(1)"],
    ["an empty line and garbage", "write(''); write('what?'); process.exit(1)"],
  ])("that answers server/discover with %s", async (_, answer) => {
    expect(await eraOf(server({ [discover]: answer, initialize, ...calls }))).toBe("legacy");
  });

  it("a server that ignores server/discover is initialized in the same process (C-13)", async () => {
    const pids = new Set<string>();
    const mute = server({ [discover]: "", initialize, ...calls }, "console.error(process.pid);");
    expect(await eraOf(mute, { probeTimeoutMs: 100, onStderr: (pid) => pids.add(pid) })).toBe("legacy");
    expect(pids.size).toBe(1);
  });

  it("a server that its first message breaks is initialized in a new process (J-28)", async () => {
    const locked = "first === 'initialize' ? result(initialized) : error(-32022)";
    expect(await eraOf(server({ [discover]: "result({})", initialize: locked, ...calls }))).toBe("legacy");
  });

  it("a legacy server that answered is initialized in the same process (D.2/6)", async () => {
    const asked = "globalThis.wasAsked = true; error(-32601)";
    const connection = await launch(
      server({ [discover]: asked, initialize, "tools/call": "result({ content: [], wasAsked: globalThis.wasAsked })" }),
    );
    const result = await connection.dispatch(modernRequest("tools/call", { name: "t" }), createFakeExchange());
    expect(result.wasAsked).toBe(true);
    await connection.close();
  });
});

describe("a server that reads nothing until initialize was sent, like one that starts slowly", () => {
  /** Writes its pid to stderr, and handles what came in order. Where `marker` exists, it starts at once. */
  const late = (on: Record<string, string>, marker = "") =>
    script(`
      console.error(process.pid);
      const { existsSync, writeFileSync } = require("node:fs"), marker = ${JSON.stringify(marker)};
      const discovered = ${JSON.stringify(discovered)}, initialized = ${JSON.stringify(initialized)};
      let waiting = existsSync(marker) ? undefined : [], era;
      if (marker) writeFileSync(marker, "");
      read((message) => {
        if (!waiting) return handle(message);
        waiting.push(message);
        if (message.method !== "initialize") return;
        const all = waiting;
        waiting = undefined;
        all.forEach(handle);
      });
      function handle({ id, method, params }) {
        const result = (value) => write({ jsonrpc: "2.0", id, result: value });
        const error = (code, data) => write({ jsonrpc: "2.0", id, error: { code, message: "no", data } });
        const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
        if (isModern && method !== "server/discover") era ??= "modern";
        const on = { ${Object.entries(on)
          .map(([method, then]) => `${JSON.stringify(method)}: () => { ${then} }`)
          .join(", ")} };
        if (on[method]) on[method]();
        else if (id !== undefined) error(-32601);
      }
    `);

  async function startsOf(args: string[], options: ConnectStdioOptions = {}) {
    const pids = new Set<string>();
    const onStderr = (line: string) => {
      if (/^\d+$/.test(line)) pids.add(line);
    };
    const era = await eraOf(args, { probeTimeoutMs: 50, onStderr, ...options });
    return { era, starts: pids.size };
  }

  it("a server is modern in one process even if initialize would fix it to the older era (C-17)", async () => {
    const dual = late({
      [discover]: "era === 'legacy' ? error(-32601) : result(discovered)",
      initialize:
        "era === 'modern' ? error(-32022, { supported: ['2026-07-28'] }) : (era = 'legacy', result(initialized))",
      "tools/call": `era === 'modern' ? ${called} : error(-32600)`,
    });
    expect(await startsOf(dual)).toEqual({ era: "modern", starts: 1 });
  });

  it("a server that supports both eras at once is modern in one process", async () => {
    expect(await startsOf(late({ [discover]: "result(discovered)", initialize, ...calls }))).toEqual({
      era: "modern",
      starts: 1,
    });
  });

  it("a server that rejects server/discover is legacy in one process", async () => {
    const verdicts = createVerdictMemory();
    const old = late({ [discover]: "error(-32601)", initialize, ...calls });
    expect(await startsOf(old, { verdicts })).toEqual({ era: "legacy", starts: 1 });
    expect(verdicts.entries()).toMatchObject([[expect.any(String), { era: "legacy" }]]);
  });

  it("a server whose first process initialize fixed to the older era is modern in a second process (J-28)", async () => {
    const folder = mkdtempSync(`${tmpdir()}/lethe-`);
    const locked = late(
      {
        [discover]: "era === 'locked' ? error(-32601) : result(discovered)",
        initialize: "era = 'locked'; result(initialized)",
        ...calls,
      },
      `${folder}/started`,
    );
    expect(await startsOf(locked)).toEqual({ era: "modern", starts: 2 });
    rmSync(folder, { recursive: true });
  });
});

describe("the verdict memory over stdio (D.2/1)", () => {
  it("a remembered legacy verdict skips server/discover", async () => {
    const verdicts = createVerdictMemory();
    const args = server({
      [discover]: "error(-32601)",
      initialize: "result({ ...initialized, instructions: first })",
      ...calls,
    });
    await eraOf(args, { verdicts });
    const connection = await launch(args, { verdicts });
    expect(connection.server.instructions).toBe("initialize");
    await connection.close();
  });

  it("a verdict belongs to a command in its folder; in another folder it may be another program", async () => {
    const verdicts = createVerdictMemory();
    const target = { command: process.execPath, args: legacy };
    for (const cwd of ["/", tmpdir()]) {
      const connection = await connectStdio({ ...target, cwd }, { verdicts, stopTimeoutMs: 300 });
      await connection.close();
    }
    expect(verdicts.entries().map(([key]) => key.split(" (in ")[1])).toEqual(["/)", `${tmpdir()})`]);
  });

  it("an outdated verdict is detected and replaced", async () => {
    const verdicts = createVerdictMemory();
    verdicts.set([process.execPath, ...modern].join(" "), { era: "legacy", revision: "2025-06-18" });
    expect(await eraOf(modern, { verdicts })).toBe("modern");
    expect(verdicts.entries()).toMatchObject([[expect.any(String), { era: "modern" }]]);
  });

  it("silence is not remembered as a verdict", async () => {
    const verdicts = createVerdictMemory();
    const mute = server({ [discover]: "", initialize, ...calls }, "console.error('up');");
    await eraOf(mute, { verdicts, probeTimeoutMs: 100 });
    expect(verdicts.entries()).toEqual([]);
  });
});

describe("a configured era", () => {
  it("the era modern waits for a slow start and does not report a legacy server", async () => {
    const silent = server({ [discover]: "" }, "console.error('still installing');");
    await expect(launch(silent, { era: "modern", startTimeoutMs: 500, probeTimeoutMs: 1 })).rejects.toMatchObject({
      reason: "timeout",
      message: expect.stringMatching(
        / did not start within 0\.5 s \(startTimeoutMs\): .*; it last wrote:\nstill installing$/s,
      ),
    });
  });

  it("the era legacy reports the start time limit", async () => {
    const silent = server({ initialize: "console.error('still installing')" });
    const failed = launch(silent, { era: "legacy", startTimeoutMs: 500 });
    await expect(failed).rejects.toThrow(/ did not start within 0\.5 s \(startTimeoutMs\): .*still installing$/s);
  });

  it("the era legacy skips server/discover", async () => {
    expect(await eraOf(legacy, { era: "legacy" })).toBe("legacy");
  });

  it("the era modern rejects a legacy server and explains why (D.2/7)", async () => {
    await expect(launch(legacy, { era: "modern" })).rejects.toThrow("does not speak the modern era (2026-07-28)");
  });
});

describe("failing to connect over stdio", () => {
  const pidOf = (lines: string[]) => Number(lines.find((line) => /^\d+$/.test(line)));

  it.each([
    [
      "a server of the future",
      server(
        { [discover]: "result({ ...discovered, supportedVersions: ['2099-01-01'] })" },
        "console.error(process.pid);",
      ),
    ],
    ["a server that wants a capability", server({ [discover]: "error(-32021, {})" }, "console.error(process.pid);")],
    ["a server that refuses everything", server({}, "console.error(process.pid);")],
  ])("for %s, and no process is left", async (_, args) => {
    const lines: string[] = [];
    await expect(launch(args, { onStderr: (line) => lines.push(line) })).rejects.toMatchObject({ name: "McpError" });
    expect(isRunning(pidOf(lines))).toBe(false);
  });

  it("the error for a program that exits at once contains its last output", async () => {
    const args = ["-e", "console.error('no API key'); process.exit(2)"];
    await expect(launch(args)).rejects.toThrow(/exited with code 2; it last wrote:\nno API key/);
  });

  it("cancelling leaves no process", async () => {
    const lines: string[] = [];
    const controller = new AbortController();
    const onStderr = (line: string) => {
      lines.push(line);
      controller.abort(new Error("enough"));
    };
    const mute = server({ [discover]: "" }, "console.error(process.pid);");
    await expect(launch(mute, { signal: controller.signal, onStderr })).rejects.toMatchObject({
      reason: "cancelled",
      message: expect.stringMatching(/^connecting to .*: enough; it last wrote:\n\d+$/s),
      cause: new Error("enough"),
    });
    expect(isRunning(pidOf(lines))).toBe(false);
  });
});
