// Gateways that were killed, and what they leave behind: real processes, as nothing else shows that they end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endOrphanedProcesses } from "./end-orphaned-processes.ts";
import { type LedgerFile, ledgerPrefix, openProcessLedger } from "./process-ledger.ts";
import { bootOf, startOf } from "./process-start.ts";

let folder = "";
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe-"));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** A process that hears no SIGTERM, in a group of its own. */
async function startStubborn(): Promise<{ child: ChildProcess; pid: number }> {
  const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return { child, pid: child.pid as number };
}

/** The page of a gateway that has ended. */
function writePage(pid: number, more: Partial<LedgerFile> & { start?: string } = {}): string {
  const { start = startOf(pid) ?? "", ...given } = more;
  const children = [{ pid, start, upstream: "up" }];
  const file = join(folder, `${ledgerPrefix()}7.json`);
  writeFileSync(file, JSON.stringify({ boot: bootOf(), owner: { pid: 7, start: "long ago" }, children, ...given }));
  return file;
}

const isAlive = (pid: number) => startOf(pid) !== undefined;

describe("the process ledger", () => {
  it("lists running processes in a file for this user only, and removes the file after the last one", async () => {
    const ledger = openProcessLedger(join(folder, "children"), ({ message }) => expect.unreachable(message));
    const { pid } = await startStubborn();
    let end = (): void => {};
    const gone = new Promise<void>((resolve) => {
      end = resolve;
    });
    ledger.enter("up", pid, gone);
    const [name = ""] = readdirSync(join(folder, "children"));
    const file = join(folder, "children", name);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      owner: { pid: process.pid },
      children: [{ pid, upstream: "up" }],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    end();
    await gone;
    await vi.waitFor(() => expect(readdirSync(join(folder, "children"))).toEqual([]));
  });

  it("reports a ledger that cannot be written once and continues", async () => {
    const onError = vi.fn();
    const file = join(folder, "file");
    writeFileSync(file, "");
    const ledger = openProcessLedger(file, onError);
    const { pid } = await startStubborn();
    for (let times = 0; times < 2; times += 1) ledger.enter("up", pid, Promise.resolve());
    ledger.close();
    expect(onError).toHaveBeenCalledOnce();
  });
});

describe("processes that a killed gateway left behind", () => {
  it("kills an orphaned process that ignores SIGTERM and removes its file", async () => {
    const { child, pid } = await startStubborn();
    writePage(pid);
    const exited = once(child, "exit");
    expect(await endOrphanedProcesses(folder)).toMatchObject([{ pid, upstream: "up" }]);
    expect((await exited)[1]).toBe("SIGKILL");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["another process with the same process id", { start: "another time" }],
    ["a process recorded before a reboot", { boot: "another boot" }],
  ])("does not kill %s", async (_what, more) => {
    const { pid } = await startStubborn();
    writePage(pid, more);
    expect(await endOrphanedProcesses(folder)).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("does not kill processes of a running gateway", async () => {
    const { pid } = await startStubborn();
    const file = writePage(pid, { owner: { pid: process.pid, start: startOf(process.pid) ?? "" } });
    expect(await endOrphanedProcesses(folder)).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(statSync(file).isFile()).toBe(true);
  });

  it.each(["", "{", "[]", '{"boot":"","owner":{"pid":7,"start":""},"children":[{"pid":1,"start":""}]}'])(
    "ignores a ledger file with the content %j",
    async (text) => {
      writeFileSync(join(folder, `${ledgerPrefix()}7.json`), text);
      writeFileSync(join(folder, "elsewhere-7.json"), text);
      expect(await endOrphanedProcesses(folder)).toEqual([]);
      expect(readdirSync(folder)).toEqual(["elsewhere-7.json"]);
    },
  );

  it("does nothing without a ledger folder", async () => {
    expect(await endOrphanedProcesses(join(folder, "none"))).toEqual([]);
  });
});
