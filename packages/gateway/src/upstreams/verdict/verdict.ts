// The verdict on an upstream (D-51): its era, and which requests may share a session. Its source is the configuration, the
// probe or a connection.
import type { Connection } from "@lethe/client";
import type { Era } from "@lethe/protocol";
import type { Sharing, UpstreamConfig } from "../../config/upstream-config.ts";
import type { Transport } from "../connection/open-connection.ts";

/** `isSpoken` is null if nothing was learned. */
export interface EraView {
  readonly isSpoken: boolean | null;
  readonly word: string;
  readonly revisions: readonly string[];
  readonly contract?: string;
}

export interface Verdict {
  readonly sharing: Sharing;
  /** The reason, for the operator. */
  readonly because: string;
  readonly source: "configuration" | "probe" | "connection";
  /** For the era that the gateway uses. UNKNOWN: probed without a result. */
  readonly word: "STATELESS" | "STATEFUL" | "UNKNOWN";
  readonly era: Era;
  readonly transport: Transport;
  /** The kind of its sessions, in the terms of the probe. */
  readonly contract?: string;
  /** Whether a new connection is expected to begin a session. Absent if both are possible. */
  readonly beginsSession?: boolean;
  readonly eras: { readonly modern: EraView; readonly legacy: EraView };
  /** Short descriptions of the observations. */
  readonly evidence: readonly string[];
  /** What the operator should know about how the verdict was found. */
  readonly warnings: readonly string[];
  /** In ms since 1970. */
  readonly foundAt: number;
}

const notAsked: EraView = { isSpoken: null, word: "UNKNOWN", revisions: [] };

/**
 * A revision without sessions lets callers share a server over HTTP. A process still serves one caller, unless the operator
 * states that it keeps no state: many tools keep state in the process, such as an open project or a browser page.
 */
export function toConnectionVerdict(upstream: UpstreamConfig, connection: Connection, transport: Transport): Verdict {
  const { era, revision } = connection;
  const { sharing, because, contract } = judge(connection, transport);
  const word = era === "modern" || sharing === "shared" ? "STATELESS" : "STATEFUL";
  const spoken: EraView = { isSpoken: true, word, revisions: [revision], ...(contract && { contract }) };
  // If the operator states the era, the other one is not checked.
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
    case "http-sse":
      return { sharing: "session", because: "a session is an event stream", contract: "enforced" };
    default:
      return { sharing: "session", because: "it began a session" };
  }
}

/** Explains why nothing more was observed. */
function toSilence(transport: Transport): string[] {
  if (transport === "stdio") return ["not probed: another process of it would show no more"];
  return transport === "http-sse" ? ["not probed: some servers of this transport end with a second stream"] : [];
}
