// Records the running upstream processes on disk, so that the next gateway can end them if this one is killed.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { bootOf, startOf } from "./process-start.ts";

export interface LedgerEntry {
  pid: number;
  start: string;
  upstream: string;
}

/** The content of a ledger file. Each gateway writes its own. */
export interface LedgerFile {
  boot: string;
  owner: { pid: number; start: string };
  children: LedgerEntry[];
}

export interface ProcessLedger {
  /** Records a process until `gone` settles. */
  enter(upstream: string, pid: number, gone: Promise<unknown>): void;
  /** Removes all records and the file. */
  close(): void;
}

/** The folder may be shared by several machines. */
export function ledgerPrefix(): string {
  return `${hostname()}-`;
}

/**
 * Creates `folder` if it is missing, with access for this user only. After the first error, which goes to `onError`, it records
 * nothing.
 */
export function openProcessLedger(folder: string, onError: (error: Error) => void): ProcessLedger {
  const page = join(folder, `${ledgerPrefix()}${process.pid}.json`);
  const children = new Map<number, LedgerEntry>();
  const head = { boot: bootOf(), owner: { pid: process.pid, start: startOf(process.pid) ?? "" } };
  let isBroken = false;

  function write(): void {
    if (isBroken) return;
    try {
      if (children.size === 0) {
        rmSync(page, { force: true });
        return;
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const text = JSON.stringify({ ...head, children: [...children.values()] } satisfies LedgerFile);
      writeFileSync(`${page}.new`, text, { mode: 0o600 });
      renameSync(`${page}.new`, page);
    } catch (error) {
      isBroken = true;
      onError(error as Error);
    }
  }

  return {
    enter(upstream, pid, gone) {
      const start = startOf(pid);
      if (start === undefined) return;
      const entry = { pid, start, upstream };
      children.set(pid, entry);
      write();
      const strike = () => {
        if (children.get(pid) !== entry) return;
        children.delete(pid);
        write();
      };
      gone.then(strike, strike);
    },
    close() {
      children.clear();
      write();
    },
  };
}
