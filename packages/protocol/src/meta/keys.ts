// The names of `_meta` members (A.2, A.4), and the revision of the model (D).

/** The `_meta` keys that MCP defines. */
export const metaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The `_meta` keys that no revision with a handshake knows. */
export const modelMetaKeys: ReadonlySet<string> = new Set(Object.values(metaKey));

/** The revision whose messages the model is. Edges convert messages of all other revisions to and from it. */
export const modelRevision = "2026-07-28";

/** "legacy" is a peer whose connection begins with `initialize`, "modern" one without a handshake. */
export type Era = "modern" | "legacy";
