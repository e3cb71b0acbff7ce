// What may share a session of an upstream (D-51), as far as its first connection shows.
import type { Connection } from "@lethe/client";
import type { UpstreamConfig } from "../config/upstream-config.ts";

export interface SharingVerdict {
  /**
   * shared: it keeps nothing for a connection, so that everybody may use the same one. session: what one caller began is
   * nobody else's. single: it has one session only, and takes one request at a time.
   */
  readonly sharing: "shared" | "session" | "single";
  /** In words, for the operator. */
  readonly because: string;
}

/** Asked once for each first connection to an upstream. */
export type VerdictOf = (upstream: UpstreamConfig, connection: Connection) => SharingVerdict | Promise<SharingVerdict>;

/** No protocol session does not mean that two callers may share what its tools keep: the operator's word wins. */
export const verdictOf: VerdictOf = (upstream, { era, isStateful }) => {
  if (era === "modern") return { sharing: "shared", because: "it speaks a revision without sessions" };
  if (!isStateful) return { sharing: "shared", because: "it began no session" };
  const because = upstream.kind === "stdio" ? "a process of an older revision serves one client" : "it began a session";
  return { sharing: "session", because };
};
