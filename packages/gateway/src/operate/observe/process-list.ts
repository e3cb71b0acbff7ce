// The processes of upstreams that run here, and the last ones that ended.
import { readFileSync } from "node:fs";

export interface ProcessView {
  readonly pid: number;
  /** ISO 8601 */
  readonly started: string;
  /** ISO 8601. Absent while it runs. */
  readonly ended?: string;
  /** Resident memory. Absent where the system does not tell. */
  readonly rssBytes?: number;
}

/** Ended processes that are remembered, per upstream. */
const maxEnded = 5;

interface Entry {
  readonly pid: number;
  readonly startedAt: number;
  endedAt: number | undefined;
}

export class ProcessList {
  readonly #entries: Map<string, Entry[]> = new Map();

  readonly enter = (upstream: string, pid: number, gone: Promise<unknown>): void => {
    const entry: Entry = { pid, startedAt: Date.now(), endedAt: undefined };
    this.#entries.set(upstream, [...(this.#entries.get(upstream) ?? []), entry]);
    const end = () => {
      entry.endedAt = Date.now();
      this.#forgetEnded(upstream);
    };
    gone.then(end, end);
  };

  /** Running processes first. */
  of(upstream: string): ProcessView[] {
    const entries = this.#entries.get(upstream) ?? [];
    const isRunning = ({ endedAt }: Entry) => endedAt === undefined;
    return [...entries.filter(isRunning), ...entries.filter((entry) => !isRunning(entry))].map(toView);
  }

  /** Forgets ended processes of all other upstreams. */
  keep(upstreams: ReadonlySet<string>): void {
    for (const [name, entries] of this.#entries) {
      const running = entries.filter(({ endedAt }) => endedAt === undefined);
      if (upstreams.has(name)) continue;
      if (running.length > 0) this.#entries.set(name, running);
      else this.#entries.delete(name);
    }
  }

  #forgetEnded(upstream: string): void {
    const entries = this.#entries.get(upstream) ?? [];
    const ended = entries.filter(({ endedAt }) => endedAt !== undefined);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - maxEnded)));
    this.#entries.set(
      upstream,
      entries.filter((entry) => !forgotten.has(entry)),
    );
  }
}

function toView({ pid, startedAt, endedAt }: Entry): ProcessView {
  const rssBytes = endedAt === undefined ? residentBytesOf(pid) : undefined;
  return {
    pid,
    started: new Date(startedAt).toISOString(),
    ...(endedAt !== undefined && { ended: new Date(endedAt).toISOString() }),
    ...(rssBytes !== undefined && { rssBytes }),
  };
}

function residentBytesOf(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
