// Connects a gateway that is one of several workers to the others, through their parent.
import { type Dispatch, type ModernRequest, metaKey, modelRevision, type Result } from "@lethe/protocol";
import type { WorkerPeer, WorkerProcess } from "@lethe/server/workers";
import type { MetricObjectWithValues, MetricValueWithName } from "prom-client";
import { createOwnExchange } from "../upstreams/connection/own-request.ts";
import type { SharedState } from "../upstreams/directory/shared-state.ts";
import type { Log } from "./observe/log.ts";
import { mergeMetrics } from "./observe/merge-metrics.ts";

export interface JoinWorkersOptions {
  readonly worker: WorkerProcess;
  readonly log: Log;
  /** Returns an endpoint of this worker, or undefined when the path has none, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
}

type MetricValues = MetricObjectWithValues<MetricValueWithName<string>>[];

/** The path under which workers read the metrics of each other. No listener serves it. */
export const workerMetricsPath = "/lethe/metrics";
/** How long other workers have to answer, in ms. */
const answerMs = 2_000;

export class Siblings {
  /** What the workers share, unless a store is configured that they share with other machines too. */
  readonly shared: SharedState;
  readonly #worker: WorkerProcess;

  constructor({ worker, log, dispatchAt }: JoinWorkersOptions) {
    this.#worker = worker;
    const { directory, ...stores } = worker.join({
      dispatchAt,
      onProblem: (problem) => log.warn("shared.problem", problem),
      onWorker: ({ kind, id, others }) => {
        const name = id.slice(0, 8);
        const members = { replica: name, others };
        if (kind === "lost") log.warn("worker.lost", `worker ${name} was lost; others take over its sessions`, members);
        else log.info(`worker.${kind}`, `worker ${name} has ${kind === "joined" ? "joined" : "stopped"}`, members);
      },
    });
    this.shared = {
      directory,
      ...stores,
      get status() {
        const { leases, sent, received, peers, workersLost: replicasLost } = directory;
        const counts = { leases, sent, received, replicas: peers.length, replicasLost, leaseAgeMs: 0 };
        return { isReached: true, problems: [], isCutOff: false, ...counts };
      },
      others: () => directory.peers.filter(({ isLeaving }) => !isLeaving).map(({ id }) => id),
      leave: (graceMs) => directory.leave(graceMs),
      close: () => directory.close(),
    };
  }

  /** Whether another worker takes the traffic that this one cannot take. */
  get isOneReady(): boolean {
    return this.#worker.peers.some(({ status, isLeaving }) => status.isReady && !isLeaving);
  }

  /**
   * The metrics of all workers as one, as text. A worker that does not answer in time is left out. A worker that starts or stops is not
   * counted, and adds its metrics: those of running calls belong to the sum until it ends.
   */
  async metricsText(own: MetricValues): Promise<string> {
    const peers = await Promise.all(
      this.#worker.peers.map(async (peer) => ({ ...peer, values: await this.#readMetrics(peer) })),
    );
    const answered = peers.filter(({ values }) => values !== undefined);
    // This worker answers a scrape, so it listens.
    const workers = 1 + answered.filter(({ isListening }) => isListening).length;
    return mergeMetrics([own, ...answered.flatMap(({ values }) => (values ? [values] : []))], { workers });
  }

  async #readMetrics({ id }: WorkerPeer): Promise<MetricValues | undefined> {
    const { directory } = this.shared;
    const signal = AbortSignal.timeout(answerMs);
    const late = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const reading = (async () => {
      const peer = await directory.reach(id, workerMetricsPath);
      const answer = await peer?.(metricsRequest, createOwnExchange({ signal }));
      return answer?.values as MetricValues | undefined;
    })().catch(() => undefined);
    return Promise.race([reading, late]);
  }
}

const metricsRequest = {
  id: 1,
  method: workerMetricsPath,
  params: { _meta: { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} } },
} as unknown as ModernRequest;

/** Answers the other workers. */
export function createMetricsDispatch(read: () => Promise<MetricValues>): Dispatch {
  return async () => ({ resultType: "complete", values: await read() }) as unknown as Result;
}
