// Records finished, refused and failed requests: in the log, in the metrics and in the ring of exchanges.
import type { Sender } from "@lethe/server/auth";
import { defaultExchanges } from "../config/schema/defaults.ts";
import type { TelemetrySignal } from "../config/schema/telemetry-signals.ts";
import type { Recorded, RequestRecord } from "../edge/request-record.ts";
import type { ActiveConfig } from "./active-config.ts";
import { createExchangeRing, type ExchangeRing } from "./observe/exchange-ring.ts";
import { FairSample } from "./observe/fair-sample.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { toOrigin } from "./observe/origin.ts";
import { RejectionCounts, rejectionReasons } from "./observe/rejections.ts";
import { createTraffic, type Traffic } from "./observe/traffic.ts";
import { Watching } from "./observe/watching.ts";

const connectionWarningMs = 60_000;
const exportWarningMs = 60_000;

const notShown = { isShown: false, hasSteps: false } as const;
const shown = { isShown: true, hasSteps: false } as const;
const shownWithSteps = { isShown: true, hasSteps: true } as const;

export class RequestMonitor {
  readonly metrics: Metrics = createMetrics();
  readonly traffic: Traffic = createTraffic();
  readonly exchanges: ExchangeRing;
  readonly watching: Watching = new Watching();
  readonly #sample = new FairSample();
  readonly #log: Log;
  readonly #logsRequests: boolean;
  readonly #rejections = new RejectionCounts();
  #nextConnectionWarning = 0;
  readonly #nextExportWarnings = new Map<TelemetrySignal, number>();

  constructor(active: ActiveConfig, log: Log, { logsRequests }: { logsRequests: boolean }) {
    this.#log = log;
    this.#logsRequests = logsRequests;
    this.exchanges = createExchangeRing(active.settings.admin?.exchanges ?? defaultExchanges, active.redactor);
  }

  /** Called for each request that begins. */
  showsNext(upstream: string | undefined): { readonly isShown: boolean; readonly hasSteps: boolean } {
    if (!this.#sample.takesNext(upstream ?? "")) return notShown;
    return this.watching.isOn ? shownWithSteps : shown;
  }

  /** `recorded` is undefined for a request that is not shown, unless it has failed. */
  finished(record: RequestRecord, recorded: Recorded | undefined): void {
    // The steps may be dropped before the record, and have no place in the log.
    if (recorded?.steps) record.steps = undefined;
    this.metrics.observe(record);
    this.traffic.observe(record);
    if (recorded) this.exchanges.add(record, recorded.bodies, recorded.steps);
    else if (hasFailed(record) && this.#sample.takesFailure()) this.exchanges.add(record);
    else this.exchanges.leaveOut();
    if (this.#logsRequests) this.#log.note("request", record);
  }

  /** Records a request that was refused for its token, key, Host or Origin. */
  refused(reason: unknown, sender?: Sender): void {
    this.metrics.refused();
    this.#log.warn("request.refused", "a request was refused", {
      reason: toErrorText(reason),
      ...(sender && toOrigin(sender)),
    });
  }

  /** Records a request that was rejected before it reached an endpoint. Logs each reason once in 10 s at most. */
  rejected(status: number, sender: Sender): void {
    const reason = rejectionReasons.get(status) ?? "other";
    this.metrics.rejected(reason);
    const count = this.#rejections.add(reason);
    if (count === 0) return;
    const message = `${count} ${count === 1 ? "request was" : "requests were"} rejected before an endpoint got them`;
    this.#log.warn("request.rejected", message, { reason, status, count, ...toOrigin(sender) });
  }

  /** Records a connection that was closed because `limits.maxConnections` were open. Logs once a minute at most. */
  connectionRefused(): void {
    this.metrics.connectionRefused();
    if (Date.now() < this.#nextConnectionWarning) return;
    this.#nextConnectionWarning = Date.now() + connectionWarningMs;
    this.#log.warn("connection.refused", "connections are refused: gateway.limits.maxConnections are open");
  }

  /** Records an export of telemetry that failed. Logs each signal once a minute at most. */
  exportFailed(signal: TelemetrySignal, reason: string): void {
    this.metrics.exportFailed(signal);
    const now = Date.now();
    if (now < (this.#nextExportWarnings.get(signal) ?? 0)) return;
    this.#nextExportWarnings.set(signal, now + exportWarningMs);
    this.#log.warn("telemetry.failed", `${signal} could not be exported and are lost: ${reason}`, { signal });
  }

  failed(error: unknown): void {
    this.#log.error("error", toErrorText(error));
  }
}

/** Rare failures would be missing from a sample, and operators look for them first. */
function hasFailed({ outcome }: RequestRecord): boolean {
  return outcome === "error" || outcome === "rejected" || outcome === "tool_error";
}

/** The messages of an error and of its causes. Causes that are not errors have no text. */
function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${toErrorText(cause)}` : error.message;
}
