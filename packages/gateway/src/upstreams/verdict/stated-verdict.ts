// What the operator states of an upstream, and what becomes of it where the upstream shows something else.
import type { Sharing, UpstreamConfig } from "../../config/upstream-config.ts";
import type { Verdict } from "./verdict.ts";

/** True when nothing is left to be asked: how it is used is in the configuration. */
export function isStated({ sharing, affinity, era }: UpstreamConfig): boolean {
  return sharing !== undefined || affinity !== undefined || era === "modern";
}

/** From what may be shared to what may be shared least. */
const order: readonly Sharing[] = ["shared", "session", "single"];

/**
 * The operator's word stands, but where the upstream proves it wrong to the harm of callers: one that answers only within
 * sessions is not shared because somebody wrote so, and one that has a single session is not asked for more.
 */
export function withStatement(upstream: UpstreamConfig, found: Verdict): Verdict {
  const { sharing, affinity, era } = upstream;
  if (sharing !== undefined) {
    if (found.sharing === sharing || !isDisproved(upstream, found)) {
      const because = "the configuration says so";
      return { ...found, sharing, because, source: "configuration", warnings: [] };
    }
    const warning = `the configuration says "sharing": "${sharing}", but ${found.because}: it is taken for "${found.sharing}"`;
    return { ...found, warnings: [...found.warnings, warning] };
  }
  if (era === "modern") return { ...found, source: "configuration" };
  if (affinity === undefined || found.source === "probe") return found;
  return { ...found, evidence: [...found.evidence, "not probed: its affinity is configured"] };
}

/** True when a statement is one that the upstream has proved wrong. */
export function isOverruled({ sharing }: UpstreamConfig, verdict: Verdict): boolean {
  return sharing !== undefined && verdict.sharing !== sharing;
}

/** That a process or an id is there does not prove that anything is kept: only the operator can know. */
function isDisproved({ kind, sharing = "shared" }: UpstreamConfig, { sharing: found, word }: Verdict): boolean {
  return kind === "http" && word !== "STATELESS" && order.indexOf(found) > order.indexOf(sharing);
}
