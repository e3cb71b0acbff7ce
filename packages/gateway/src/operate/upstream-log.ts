// Logs the events of upstreams: starts, failures, verdicts, and what a verdict means for callers and operators.
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { UpstreamEvent } from "../upstreams/connection/upstream.ts";
import type { ActiveConfig } from "./active-config.ts";
import { warningsOf } from "./admin/view.ts";
import type { LineTails } from "./observe/line-tails.ts";
import type { Log } from "./observe/log.ts";

export interface UpstreamLogOptions {
  readonly log: Log;
  readonly active: Pick<ActiveConfig, "hasAuth">;
  /** Default: false. */
  readonly hasReplicas?: boolean;
}

const singleTenant =
  "it ended when a second connection began, so callers use it one after the other; set sharing if that was a coincidence";

export class UpstreamLog {
  readonly #log: Log;
  readonly #active: Pick<ActiveConfig, "hasAuth">;
  readonly #hasReplicas: boolean;
  /** Why upstreams that are down failed, by name. */
  readonly #failures: Map<string, string> = new Map();
  /** The warnings already logged of each upstream. */
  readonly #warned: Map<string, readonly string[]> = new Map();
  /** When the logged verdict on each upstream was found. */
  readonly #verdicts: Map<string, number> = new Map();
  #gateway: Pick<Gateway, "upstreams"> | undefined;

  constructor({ log, active, hasReplicas = false }: UpstreamLogOptions) {
    this.#log = log;
    this.#active = active;
    this.#hasReplicas = hasReplicas;
  }

  /** From now on, logs verdicts and warnings about the upstreams of this gateway. */
  follow(gateway: Pick<Gateway, "upstreams">): void {
    this.#gateway = gateway;
  }

  logEvent(event: UpstreamEvent): void {
    const { upstream } = event;
    if (event.kind === "ready") {
      this.#failures.delete(upstream);
      this.#log.info("upstream.ready", `${upstream} is ready`, { upstream });
    } else if (event.kind === "verdict") {
      const { was, sharing, doubt, because } = event;
      const change = was === sharing ? `still "${sharing}"` : `"${sharing}" instead of "${was}"`;
      this.#log.warn("upstream.verdict", `${upstream}: ${doubt}; the verdict is ${change}: ${because}`, {
        ...{ upstream, was, sharing },
      });
      this.#logWarnings();
    } else if (event.kind === "single-tenant") {
      this.#log.warn("upstream.single-tenant", `${upstream}: ${singleTenant}`, { upstream });
    } else if (event.kind === "lost") {
      const { callerId: caller, reason } = event;
      this.#log.warn("upstream.lost", `${upstream}, for ${caller}: ${reason}`, { upstream, caller, reason });
    } else {
      const { reason, restartInMs } = event;
      this.#failures.set(upstream, reason);
      this.#log.error("upstream.failed", `${upstream}: ${reason}`, { upstream, reason, restartInMs });
    }
  }

  /** Logs each verdict once, and again when an upstream gets another one. */
  logVerdicts(): void {
    for (const { name: upstream, verdict } of this.#gateway?.upstreams ?? []) {
      if (!verdict || this.#verdicts.get(upstream) === verdict.foundAt) continue;
      this.#verdicts.set(upstream, verdict.foundAt);
      const { word, sharing, because, source, contract } = verdict;
      const fields = { upstream, word, sharing, contract, source };
      this.#log.info("upstream.verdict", `${upstream} is ${word}: ${because}`, fields);
    }
    this.#logWarnings();
  }

  /** Returns why an upstream failed last, unless it has been ready since. */
  readonly failureOf = (upstream: string): string | undefined => this.#failures.get(upstream);

  /** Forgets all other upstreams. */
  keep(upstreams: ReadonlySet<string>): void {
    for (const byUpstream of [this.#failures, this.#warned, this.#verdicts]) {
      for (const upstream of byUpstream.keys()) if (!upstreams.has(upstream)) byUpstream.delete(upstream);
    }
  }

  /** Logs one line per new warning, with the names of all upstreams it applies to. */
  #logWarnings(): void {
    const byWarning = new Map<string, string[]>();
    const circumstances = { hasAuth: this.#active.hasAuth, hasReplicas: this.#hasReplicas };
    for (const sessions of this.#gateway?.upstreams ?? []) {
      const warnings = warningsOf(sessions, circumstances);
      for (const warning of warnings) {
        if (this.#warned.get(sessions.name)?.includes(warning)) continue;
        const names = byWarning.get(warning);
        if (names) names.push(sessions.name);
        else byWarning.set(warning, [sessions.name]);
      }
      this.#warned.set(sessions.name, warnings);
    }
    for (const [warning, names] of byWarning) {
      this.#log.warn("upstream.stateful", `${names.join(", ")}: ${warning}`);
    }
  }
}

export interface CallbackParts {
  readonly active: ActiveConfig;
  readonly log: Log;
  readonly upstreamLog: UpstreamLog;
  readonly stderrTails: LineTails;
}

type GatewayCallbacks = Pick<Required<GatewayOptions>, "onEvent" | "onProblem" | "onStderr" | "mask">;

/** Connects a gateway to the log and the active configuration. */
export function toGatewayCallbacks({ active, log, upstreamLog, stderrTails }: CallbackParts): GatewayCallbacks {
  return {
    onEvent: (event) => upstreamLog.logEvent(event),
    onProblem: (problem, upstream) => log.warn("catalog.problem", problem, { upstream }),
    onStderr(upstream, line) {
      // The tail cuts long lines, and a cut secret would no longer be recognized.
      stderrTails.add(upstream, active.redactor.text(line));
      log.info("upstream.stderr", line, { upstream });
    },
    mask: active.mask,
  };
}
