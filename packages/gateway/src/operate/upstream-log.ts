// What the log says of upstreams: that they are up or fail, what they were found to be, and what follows from that.

import type { UpstreamEvent } from "../upstreams/connection/upstream.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { warningsOf } from "./admin/view.ts";
import type { Log } from "./observe/log.ts";

export interface UpstreamLogOptions {
  readonly log: Log;
  upstreams(): readonly UpstreamSessions[];
  /** Whether callers have names. */
  hasAuth(): boolean;
  /** Default: false. */
  hasReplicas?: boolean;
}

export interface UpstreamLog {
  tell(event: UpstreamEvent): void;
  /** What upstreams are, once for each that is new or is found to be something else, and what follows from it. */
  logVerdicts(): void;
  /** Why an upstream failed the last time. */
  failureOf(upstream: string): string | undefined;
  /** Forgets all others. */
  keep(upstreams: readonly string[]): void;
}

const singleTenant =
  "it ended when a second connection began, so callers have it one after the other; set sharing if that was a coincidence";

export function createUpstreamLog(options: UpstreamLogOptions): UpstreamLog {
  const { log, upstreams, hasAuth, hasReplicas = false } = options;
  const failures = new Map<string, string>();
  const warned = new Map<string, readonly string[]>();
  const judged = new Map<string, number>();

  function tell(event: UpstreamEvent): void {
    const { upstream } = event;
    if (event.kind === "ready") {
      failures.delete(upstream);
      log.info("upstream.ready", `${upstream} is ready`, { upstream });
    } else if (event.kind === "verdict") {
      const { was, sharing, doubt, because } = event;
      const change = was === sharing ? `still "${sharing}"` : `"${sharing}", and was taken for "${was}"`;
      log.warn("upstream.verdict", `${upstream}: ${doubt}; it is ${change}: ${because}`, { upstream, was, sharing });
      warn();
    } else if (event.kind === "single-tenant") {
      log.warn("upstream.single-tenant", `${upstream}: ${singleTenant}`, { upstream });
    } else if (event.kind === "lost") {
      const { callerId: caller, reason } = event;
      log.warn("upstream.lost", `${upstream}, for ${caller}: ${reason}`, { upstream, caller, reason });
    } else {
      const { reason, restartInMs } = event;
      failures.set(upstream, reason);
      log.error("upstream.failed", `${upstream}: ${reason}`, { upstream, reason, restartInMs });
    }
  }

  function logVerdicts(): void {
    for (const { name: upstream, verdict } of upstreams()) {
      if (!verdict || judged.get(upstream) === verdict.foundAt) continue;
      judged.set(upstream, verdict.foundAt);
      const { word, sharing, because, source, contract } = verdict;
      const facts = { upstream, word, sharing, contract, source };
      log.info("upstream.verdict", `${upstream} is ${word}: ${because}`, facts);
    }
    warn();
  }

  /** Those to whom the same happens, in one line. */
  function warn(): void {
    const byWarning = new Map<string, string[]>();
    for (const sessions of upstreams()) {
      const warnings = warningsOf(sessions, { hasAuth: hasAuth(), hasReplicas });
      for (const warning of warnings) {
        if (warned.get(sessions.name)?.includes(warning)) continue;
        byWarning.set(warning, [...(byWarning.get(warning) ?? []), sessions.name]);
      }
      warned.set(sessions.name, warnings);
    }
    for (const [warning, names] of byWarning) log.warn("upstream.stateful", `${names.join(", ")}: ${warning}`);
  }

  return {
    tell,
    logVerdicts,
    failureOf: (upstream) => failures.get(upstream),
    keep(kept) {
      for (const byUpstream of [failures, warned, judged]) {
        for (const upstream of byUpstream.keys()) if (!kept.includes(upstream)) byUpstream.delete(upstream);
      }
    },
  };
}
