// Servers on stdio: throw-away processes, and nothing left of them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { probe } from "./probe.ts";
import { stdioServer } from "./testing/stdio-server.ts";

afterEach(() => {
  const rows = execFileSync("ps", ["-eo", "ppid=,args="], { encoding: "utf8" }).split("\n");
  const children = rows.filter((row) => Number.parseInt(row, 10) === process.pid && row.includes("readline"));
  expect(children).toEqual([]);
});

describe("eras on stdio", () => {
  it("a legacy command is STATEFUL with the process as its session, and one process is enough", async () => {
    const report = await probe(stdioServer("legacy()"));
    expect(report).toMatchObject({
      ...{ word: "STATEFUL", era: "legacy", transport: "stdio", requests: 4 },
      eras: { modern: { isSpoken: false }, legacy: { contract: "process", revisions: ["2025-11-25"] } },
      advice: { pooling: "session-per-key" },
    });
  });

  it("accepts a command with a name, a statement and secrets, which its process does not get", async () => {
    const report = await probe({ ...stdioServer("legacy()"), name: "own", stated: "stateful", secrets: ["hunter22"] });
    expect(report).toMatchObject({ word: "STATEFUL", target: { name: "own" } });
  });

  it("a modern command is STATELESS", async () => {
    const program = `isModern ? modern() : id !== undefined && refuse(-32022, { supported: ["2026-07-28"] })`;
    const report = await probe(stdioServer(program));
    expect(report).toMatchObject({ word: "STATELESS", era: "modern", eras: { legacy: { isSpoken: false } } });
  });

  it("both eras are found if the first message fixes the era, each in its own process", async () => {
    const report = await probe(
      stdioServer(
        `globalThis.locked ??= isModern ? "modern" : "legacy";
         if (locked === "modern") isModern ? modern() : refuse(-32022, { supported: ["2026-07-28"] });
         else isModern ? refuse(-32600) : legacy();`,
      ),
    );
    expect(report).toMatchObject({ word: "STATELESS", eras: { legacy: { isSpoken: true, contract: "process" } } });
  });

  it("starts a command once if one process answers both eras", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lethe-probe-"));
    const starts = join(folder, "starts");
    const before = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x");`;
    const report = await probe(stdioServer("isModern ? modern() : legacy()", before));
    expect(report).toMatchObject({ word: "STATELESS", eras: { legacy: { isSpoken: true, contract: "process" } } });
    expect(readFileSync(starts, "utf8")).toBe("x");
    rmSync(folder, { recursive: true });
  });

  it("a server that exits at a request before initialize is legacy (J-28)", async () => {
    const report = await probe(stdioServer(`if (method === "server/discover") process.exit(3); else legacy()`));
    expect(report).toMatchObject({ word: "STATEFUL", eras: { modern: { isSpoken: false } } });
  });

  it("for a legacy server that is silent before initialize, the modern era stays unknown", async () => {
    const report = await probe(stdioServer(`if (method !== "server/discover") legacy()`), { startTimeoutMs: 1_500 });
    expect(report).toMatchObject({ word: "STATEFUL", eras: { modern: { isSpoken: null } } });
  });

  it("a server that ignores server/discover is initialized in the same process", async () => {
    const program = `if (method === "server/discover") globalThis.wasAsked = true; else if (globalThis.wasAsked) legacy()`;
    const report = await probe(stdioServer(program), { startTimeoutMs: 1_500 });
    expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { isSpoken: true } } });
  });

  it("a server that server/discover blocks is initialized in a second process", async () => {
    const program = `globalThis.isBlocked ||= method === "server/discover"; if (!globalThis.isBlocked) legacy()`;
    const report = await probe(stdioServer(program), { startTimeoutMs: 1_500, timeoutMs: 100 });
    expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { isSpoken: true } } });
  });

  it("a program that echoes its input does not speak MCP", async () => {
    const report = await probe({ command: "cat" });
    expect(report).toMatchObject({
      word: "UNKNOWN",
      problem: { reason: "not-mcp", message: expect.stringContaining("cat does not speak MCP: it echoes its input") },
    });
  });

  it("says that tasks under capabilities.experimental are ignored", async () => {
    const report = await probe(stdioServer(`capabilities.experimental = { tasks: { list: {} } }; legacy()`));
    expect(report.remarks).toEqual([expect.stringContaining("declares tasks under capabilities.experimental")]);
  });

  it("requests of the server are answered and reported", async () => {
    const report = await probe(
      stdioServer(`
        if (method === "notifications/initialized") send({ id: "ask", method: "roots/list" });
        else if (id === "ask") globalThis.roots = result.roots;
        else if (method === "tools/list") globalThis.roots ? legacy() : setTimeout(legacy, 50);
        else legacy();`),
    );
    expect(report.serverRequests).toEqual(["roots/list"]);
  });

  it("a server that waits for an answer to its request gets one", async () => {
    const program = `if (method === "tools/list") { globalThis.waiting = id; send({ id: "q", method: "roots/list" }); }
      else if (id === "q" && result) send({ id: globalThis.waiting, result: { tools: result.roots } });
      else legacy();`;
    const report = await probe(stdioServer(program), { timeoutMs: 10_000 });
    expect(report).toMatchObject({
      word: "STATEFUL",
      serverRequests: ["roots/list"],
      features: { listed: { count: 0 } },
    });
  });

  it("lines that are no messages are reported and do not affect the verdict", async () => {
    const report = await probe(stdioServer("legacy()", `console.log("Server started!");`));
    expect(report).toMatchObject({ word: "STATEFUL", remarks: ["it wrote a line to stdout that is no message"] });
  });
});

describe("a probe for one era", () => {
  it.each([
    ["modern", { modern: { isSpoken: true }, legacy: { isSpoken: null } }],
    ["legacy", { modern: { isSpoken: null }, legacy: { isSpoken: true } }],
  ] as const)("probing only the %s era leaves the other unknown", async (era, eras) => {
    const dual = stdioServer(`if (method === "initialize" || method === "ping") legacy(); else modern()`);
    const report = await probe(dual, { era });
    expect(report.eras).toMatchObject(eras);
  });
});

describe("answers without evidence on stdio", () => {
  it("a missing command is UNKNOWN", async () => {
    const report = await probe({ command: "no-such-command-anywhere" });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unreachable" }, requests: 0 });
  });

  it("a process that exits at once is UNKNOWN, with the end of its stderr and without secrets", async () => {
    const program = `console.error("cannot use key " + process.env.API_KEY); process.exit(7)`;
    const target = { command: process.execPath, args: ["-e", program], env: { API_KEY: "hunter2-hunter2" } };
    const report = await probe(target);
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "exited" } });
    expect(report.problem?.message).toContain("cannot use key ***");
    expect(JSON.stringify(report)).not.toContain("hunter2");
  });

  it("a process that never writes is UNKNOWN", async () => {
    const report = await probe(stdioServer(""), { startTimeoutMs: 300 });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "timeout" } });
  });

  it("aborting the signal ends the probe and the process", async () => {
    const started = probe(stdioServer(""), { signal: AbortSignal.timeout(300) });
    await expect(started).rejects.toThrow(/timeout/);
  });
});

describe("restart", () => {
  it("a modern server continues in any process", async () => {
    const report = await probe(stdioServer("isModern ? modern() : refuse(-32601)"), { restart: true });
    expect(report.instances).toMatchObject([{ kind: "restart", era: "modern", isAnyInstance: true }]);
  });

  it("a session ends with its process if the server requires initialize", async () => {
    const program = `if (method === "initialize") globalThis.isReady = true;
      if (method === "tools/list" && !globalThis.isReady) refuse(-32002); else legacy();`;
    const report = await probe(stdioServer(program), { restart: true });
    expect(report.instances).toMatchObject([{ kind: "restart", era: "legacy", isAnyInstance: false }]);
  });
});
