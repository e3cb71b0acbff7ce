// Ends the upstream processes of killed gateways, as recorded in their ledger files. A process that has reused the id of a
// recorded one is left alone.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject } from "@lethe/protocol";
import { type LedgerEntry, type LedgerFile, ledgerPrefix } from "./process-ledger.ts";
import { bootOf, startOf } from "./process-start.ts";

const patienceMs = 2_000;
const pollMs = 25;

/** Resolves with the processes it ended, once they are gone. */
export async function endOrphanedProcesses(folder: string): Promise<LedgerEntry[]> {
  const names = await readdir(folder).catch(() => []);
  const own = names.filter((name) => name.startsWith(ledgerPrefix()) && name.endsWith(".json"));
  const ended = await Promise.all(own.map((name) => endThoseOf(join(folder, name))));
  return ended.flat();
}

async function endThoseOf(file: string): Promise<LedgerEntry[]> {
  const page = await readPage(file);
  const isOfThisBoot = page?.boot === bootOf();
  if (page && isOfThisBoot && isThere(page.owner)) return [];
  const orphans = page && isOfThisBoot ? page.children.filter(isThere) : [];
  await Promise.all(orphans.map(end));
  await rm(file, { force: true });
  return orphans;
}

function isThere({ pid, start }: { pid: number; start: string }): boolean {
  return startOf(pid) === start;
}

async function end(orphan: LedgerEntry): Promise<void> {
  const deadline = Date.now() + patienceMs;
  signal(orphan, "SIGTERM");
  while (isThere(orphan) && Date.now() < deadline) await sleep(pollMs);
  // Also ends what is left of its process group.
  signal(orphan, "SIGKILL");
}

function signal({ pid }: LedgerEntry, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The process group is already gone.
  }
}

/** Returns undefined for a file that is incomplete or not a ledger file. */
async function readPage(file: string): Promise<LedgerFile | undefined> {
  try {
    const page: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isJsonObject(page) || !isEntry(page.owner) || !Array.isArray(page.children)) return undefined;
    return page.children.every(isEntry) ? (page as unknown as LedgerFile) : undefined;
  } catch {
    return undefined;
  }
}

/** 0 and 1 would signal other process groups. */
function isEntry(value: unknown): boolean {
  return isJsonObject(value) && Number.isInteger(value.pid) && Number(value.pid) > 1 && typeof value.start === "string";
}
