// The operator's statements about an upstream, and what happens if the upstream contradicts them.
import type { Sharing, UpstreamConfig } from "../../config/upstream-config.ts";
import type { Verdict } from "./verdict.ts";

/** Whether the configuration says everything, so that no probe is needed. */
export function isStated({ sharing, affinity, era }: UpstreamConfig): boolean {
  return sharing !== undefined || affinity !== undefined || era === "modern";
}

/** From the most to the least shared. */
const order: readonly Sharing[] = ["shared", "session", "single"];

/**
 * Applies the operator's statement, unless the upstream proves it wrong in a way that would harm callers: a server that
 * requires sessions is not shared, and a server with a single session gets only one.
 */
export function withStatement(upstream: UpstreamConfig, found: Verdict): Verdict {
  const { sharing, affinity, era } = upstream;
  if (sharing !== undefined) {
    if (found.sharing === sharing || !isDisproved(upstream, found)) {
      const because = "the configuration says so";
      return { ...found, sharing, because, source: "configuration", warnings: [] };
    }
    const warning = `the configuration says "sharing": "${sharing}", but ${found.because}; the gateway treats it as "${found.sharing}"`;
    return { ...found, warnings: [...found.warnings, warning] };
  }
  if (era === "modern") return { ...found, source: "configuration" };
  if (affinity === undefined || found.source === "probe") return found;
  return { ...found, evidence: [...found.evidence, "not probed: its affinity is configured"] };
}

/** Whether the upstream has disproved the statement. */
export function isOverruled({ sharing }: UpstreamConfig, verdict: Verdict): boolean {
  return sharing !== undefined && verdict.sharing !== sharing;
}

/** A process or a session id does not prove that the server keeps state. Only the operator can know. */
function isDisproved({ kind, sharing = "shared" }: UpstreamConfig, { sharing: found, word }: Verdict): boolean {
  return kind === "http" && word !== "STATELESS" && order.indexOf(found) > order.indexOf(sharing);
}
