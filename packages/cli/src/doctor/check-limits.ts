// Whether the limits of the machine fit those of the gateway: file descriptors and memory.
import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { GatewaySettings } from "@lethe/gateway";
import { type Finding, ok, warning } from "./finding.ts";

export interface MachineLimits {
  /** Undefined where the system does not tell. */
  readonly openFiles: number | undefined;
  readonly heapBytes: number;
  /** The memory that the process may use: that of its container, or of the machine. */
  readonly memoryBytes: number;
}

const usualMaxConnections = 16_384;
/** Files beside connections of callers: listeners, Redis, logs, and pipes of processes. */
const otherFiles = 512;
/** V8 needs memory beside its heap. */
const heapPart = 0.8;

export async function checkLimits({ limits = {} }: GatewaySettings): Promise<readonly Finding[]> {
  return toLimitFindings(limits, await readMachineLimits());
}

export function toLimitFindings(
  { maxConnections = usualMaxConnections, maxHeldBytes }: NonNullable<GatewaySettings["limits"]>,
  { openFiles, heapBytes, memoryBytes }: MachineLimits,
): readonly Finding[] {
  return [
    ...(openFiles === undefined ? [] : [toFiles(openFiles, maxConnections)]),
    toMemory(heapBytes, memoryBytes),
    toBudget(maxHeldBytes ?? Math.floor(heapBytes / 8), heapBytes),
  ];
}

function toFiles(openFiles: number, maxConnections: number): Finding {
  const text = `a process may open ${openFiles} files; limits.maxConnections is ${maxConnections}`;
  if (openFiles >= maxConnections + otherFiles) return ok("limits", text);
  return warning("limits", text, {
    cause: "connections and processes fail with EMFILE before limits.maxConnections is reached",
    remedy: `raise it (LimitNOFILE of systemd, ulimit -n) to ${maxConnections + otherFiles}, or lower limits.maxConnections`,
  });
}

function toMemory(heapBytes: number, memoryBytes: number): Finding {
  const text = `the heap of Node.js may grow to ${toMebibytes(heapBytes)} of ${toMebibytes(memoryBytes)} of memory`;
  if (heapBytes <= heapPart * memoryBytes) return ok("limits", text);
  return warning("limits", text, {
    cause: "the system may end the process before Node.js frees memory",
    remedy: `set NODE_OPTIONS=--max-old-space-size=${Math.floor((heapPart * memoryBytes) / 1_048_576)}, or give it more memory`,
  });
}

function toBudget(heldBytes: number, heapBytes: number): Finding {
  const text = `messages of callers and servers may take ${toMebibytes(heldBytes)} (limits.maxHeldBytes)`;
  if (heldBytes <= heapBytes / 2) return ok("limits", text);
  return warning("limits", text, {
    cause: `that is more than half of the heap of ${toMebibytes(heapBytes)}, which also holds everything else`,
    remedy: "lower limits.maxHeldBytes, or raise the heap with --max-old-space-size",
  });
}

async function readMachineLimits(): Promise<MachineLimits> {
  // Undefined where there is no container, and a huge number where the container has no limit.
  const constrained = process.constrainedMemory?.() ?? 0;
  return {
    openFiles: await readOpenFiles(),
    heapBytes: getHeapStatistics().heap_size_limit,
    memoryBytes: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(),
  };
}

/** Only Linux shows it to a process. */
async function readOpenFiles(): Promise<number | undefined> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return soft === undefined ? undefined : Number(soft);
}

function toMebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
