// Serves by several workers, which run the program of this process. This one gives them connections, and serves no request itself.
import { randomBytes } from "node:crypto";
import { noLoad, sumOf } from "../../http/serving-load.ts";
import type { Served } from "./served.ts";
import { findWorkersProblem, toWorkerCount } from "./worker-count.ts";
import { startWorkers } from "./worker-group.ts";

export interface ServeByWorkersOptions {
  readonly count: number;
  /** What the URL begins with, without the port. */
  readonly origin: string;
  readonly path: string;
  readonly signal: AbortSignal | undefined;
  /** Receives what an operator should know about workers. */
  onError(error: unknown): void;
}

let hasStarted = false;

/** Throws an Error that names the option. */
export function requireWorkerCount(workers: number | "auto"): number {
  const problem = findWorkersProblem(workers);
  if (problem !== undefined) throw new Error(`serve: workers ${problem}, got ${workers}`);
  return toWorkerCount(workers);
}

/** Rejects with an Error if the first worker cannot start. */
export async function serveByWorkers({ count, origin, path, signal, onError }: ServeByWorkersOptions): Promise<Served> {
  if (hasStarted) throw new Error("serve: one call with `workers` expected: it may serve several paths");
  hasStarted = true;
  const workers = await startWorkers({
    count,
    environment: toEnvironment(process.env),
    execArgv: [...process.execArgv, "--import", import.meta.resolve("#provide-stores")],
    onEvent(event) {
      if (event.kind !== "started") onError(new Error(event.message));
    },
  });
  const close: Served["close"] = async ({ graceMs = 10_000, delayMs = 0 } = {}) => {
    signal?.removeEventListener("abort", onAbort);
    await workers.close({ graceMs, delayMs });
    hasStarted = false;
  };
  const onAbort = (): void => {
    close().catch(onError);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const { port } = workers;
  return {
    ...{ url: `${origin}:${port}${path}`, port, close },
    get connections() {
      return workers.peers.reduce((sum, { status }) => sum + status.connections, 0);
    },
    get load() {
      return sumOf(workers.peers.map(({ status }) => status.load ?? noLoad));
    },
  };
}

/** Without configured keys, the workers get one that ends with this process. */
function toEnvironment({ LETHE_KEYS = "" }: NodeJS.ProcessEnv): Record<string, string> {
  return LETHE_KEYS === "" ? { LETHE_KEYS: `workers:${randomBytes(32).toString("base64url")}` } : {};
}
