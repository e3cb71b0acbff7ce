// What the administration API reads from a running gateway, and does with it.
import type { Sender } from "@lethe/server/auth";
import type { Catalog } from "../../../catalog/merge-catalogs.ts";
import type { OperatorActions } from "../../../edge/endpoints/operator-actions.ts";
import type { ExchangeRing } from "../../observe/exchange-ring.ts";
import type { GatewayView } from "../../observe/gateway-view.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { ProcessList } from "../../observe/process-list.ts";
import type { Redactor } from "../../observe/redact.ts";
import type { Traffic } from "../../observe/traffic.ts";
import type { Watching } from "../../observe/watching.ts";
import type { AdminEndpoint } from "../api/endpoints.ts";
import type { ConfigChanges, LimitUse, ReloadOutcome } from "../api/health.ts";
import type { Overview } from "../api/overview.ts";

export interface AdminSource {
  /** The first characters of the id of this replica. */
  readonly replica: string;
  view(): GatewayView;
  about(): About;
  readonly exchanges: ExchangeRing;
  readonly traffic: Traffic;
  readonly processes: Pick<ProcessList, "of">;
  readonly metrics: Metrics;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly operator: OperatorActions;
  /** Steps of requests are recorded while an administrator looks. */
  readonly watching: Pick<Watching, "look" | "follow">;
  /** The last lines that an upstream wrote to stderr. */
  stderrOf(upstream: string): readonly string[];
  /** What the endpoint of an upstream offers, and what the merged endpoint does. Undefined for an unknown upstream. */
  catalogsOf(upstream: string): { readonly own: Catalog; readonly merged: Catalog } | undefined;
  /** The merged endpoint, and then the named ones. Masked. */
  endpoints(): readonly AdminEndpoint[];
  /** As `/readyz` says it. */
  readiness(): { readonly isReady: boolean; readonly state: string };
  /** In the text format of Prometheus, for all workers of this gateway. */
  metricsText(): Promise<string>;
  limits(): readonly LimitUse[];
  /** The active configuration, with secrets masked. */
  config(): unknown;
  changes(): Promise<ConfigChanges>;
  reload(): Promise<ReloadOutcome>;
  onRefused(reason: string, sender: Sender): void;
}

/** What does not depend on the state of upstreams. */
export type About = Pick<
  Overview,
  "name" | "version" | "state" | "started" | "upSeconds" | "listening" | "features" | "memory" | "files" | "notes"
>;
