// A server process ends together with the process that owns it (C-8, field: child processes).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const owner = fileURLToPath(new URL("./owner.mjs", import.meta.url));

/** The remaining processes of the groups that these processes lead. */
function leftOf(pids: readonly number[]): string[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" });
  const rows = stdout.split("\n").map((row) => row.trim().split(/\s+/));
  return rows.filter(([group, state]) => pids.includes(Number(group)) && !state?.startsWith("Z")).map(String);
}

async function startOwner(end: string) {
  const process_ = spawn(process.execPath, [owner, end], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(process_, "exit");
  const [line] = await process_.stdout.take(1).toArray();
  return { process_, exited, pids: JSON.parse(String(line)) as number[] };
}

describe.skipIf(process.platform === "win32")("a server process that ignores signals ends", () => {
  it.each(["exit", "throw"])("a server process that ignores signals ends when its owner ends by %s", async (end) => {
    const { exited, pids } = await startOwner(end);
    await exited;
    await expect.poll(() => leftOf(pids)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "a server process that ignores signals ends when its owner dies of %s, and the owner keeps its exit status",
    async (signal) => {
      const { process_, exited, pids } = await startOwner("wait");
      expect(leftOf(pids)).toHaveLength(2);
      process_.kill(signal);
      expect(await exited).toEqual([null, signal]);
      await expect.poll(() => leftOf(pids)).toEqual([]);
    },
  );

  it("a server process that ignores signals ends when a signal handler of its owner exits with another code", async () => {
    const { process_, exited, pids } = await startOwner("handler");
    process_.kill("SIGINT");
    expect(await exited).toEqual([7, null]);
    await expect.poll(() => leftOf(pids)).toEqual([]);
  });
});
