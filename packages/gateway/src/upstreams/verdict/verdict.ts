// What an upstream is (D-51): which era it speaks, and what may share a session of it. Stated by the operator, found out by
// the probe, or taken from what a connection shows.
import type { Connection } from "@lethe/client";
import type { Era } from "@lethe/protocol";
import type { Sharing, UpstreamConfig } from "../../config/upstream-config.ts";
import type { Transport } from "../connection/open-connection.ts";

/** `isSpoken` is null when nothing was learnt. */
export interface EraView {
  readonly isSpoken: boolean | null;
  readonly word: string;
  readonly revisions: readonly string[];
  readonly contract?: string;
}

export interface Verdict {
  readonly sharing: Sharing;
  /** In words, for the operator. */
  readonly because: string;
  readonly source: "configuration" | "probe" | "connection";
  /** Of the era that the gateway speaks with it. UNKNOWN: asked, and not found out. */
  readonly word: "STATELESS" | "STATEFUL" | "UNKNOWN";
  readonly era: Era;
  readonly transport: Transport;
  /** What its sessions are, in the words of the probe. */
  readonly contract?: string;
  /** Whether a new connection is expected to begin a session; absent: it may or may not. */
  readonly beginsSession?: boolean;
  readonly eras: { readonly modern: EraView; readonly legacy: EraView };
  /** What was seen, in short. */
  readonly evidence: readonly string[];
  /** What the operator should know of how it was found. */
  readonly warnings: readonly string[];
  /** ms since 1970. */
  readonly foundAt: number;
}

const notAsked: EraView = { isSpoken: null, word: "UNKNOWN", revisions: [] };

/**
 * A revision without sessions lets callers share a server over HTTP. A process serves one caller all the same, unless the
 * operator says that it keeps nothing: many tools keep state in the process, such as an open project or a browser page.
 */
export function toConnectionVerdict(upstream: UpstreamConfig, connection: Connection, transport: Transport): Verdict {
  const { era, revision } = connection;
  const { sharing, because, contract } = judge(connection, transport);
  const word = era === "modern" || sharing === "shared" ? "STATELESS" : "STATEFUL";
  const spoken: EraView = { isSpoken: true, word, revisions: [revision], ...(contract && { contract }) };
  // An operator who names the era has left nothing to ask.
  const other: EraView = era === "legacy" && !upstream.era ? { ...notAsked, isSpoken: false } : notAsked;
  return {
    ...{ sharing, because, word, era, transport, source: "connection" },
    ...(contract && { contract }),
    beginsSession: connection.isStateful === true,
    eras: era === "modern" ? { modern: spoken, legacy: notAsked } : { modern: other, legacy: spoken },
    evidence: [`its connection speaks ${revision}: ${because}`, ...toSilence(transport)],
    warnings: [],
    foundAt: Date.now(),
  };
}

function judge(
  { era, isStateful }: Connection,
  transport: Transport,
): Pick<Verdict, "sharing" | "because" | "contract"> {
  if (era === "modern") {
    return transport === "stdio"
      ? { sharing: "session", because: "its process may keep state between calls", contract: "none" }
      : { sharing: "shared", because: "it speaks a revision without sessions", contract: "none" };
  }
  if (!isStateful) return { sharing: "shared", because: "it began no session" };
  switch (transport) {
    case "stdio":
      return { sharing: "session", because: "a process of an older revision serves one client", contract: "process" };
    case "http+sse":
      return { sharing: "session", because: "a session is an event stream", contract: "enforced" };
    default:
      return { sharing: "session", because: "it began a session" };
  }
}

/** Why there is no more than that to be seen. */
function toSilence(transport: Transport): string[] {
  if (transport === "stdio") return ["not probed: another process of it would show no more"];
  return transport === "http+sse" ? ["not probed: some servers of this transport end with a second stream"] : [];
}
