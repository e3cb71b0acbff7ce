// The names of `_meta` members (A.2, A.4) and of protocol revisions (D).

export const metaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** What no legacy revision knows. */
export const modernMetaKeys: ReadonlySet<string> = new Set(Object.values(metaKey));

/** The newest modern revision that this package speaks. */
export const modernRevision = "2026-07-28";

/** Modern revisions, newest first: what `server/discover` and -32022 list. */
export const modernRevisions: readonly string[] = [modernRevision];

/** Legacy revisions, newest first: those that begin with `initialize`. */
export const legacyRevisions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export type Era = "modern" | "legacy";
