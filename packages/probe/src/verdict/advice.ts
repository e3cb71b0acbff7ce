// Advice for a gateway, from a verdict. It holds for the first request. Behaviour at run time overrides it.
import type { Transport } from "../behaviour/findings.ts";
import type { EraVerdict } from "./era-verdict.ts";

/**
 * - `pass-through`: forward modern requests.
 * - `shared`: any connection for any caller, without sessions.
 * - `id-per-caller`: one session id for each caller, accepted by any instance.
 * - `session-per-key`: a session, stream or process for each caller or affinity key, with one owner.
 * - `single-owner`: one session for all callers, one request at a time.
 */
export type Pooling = "pass-through" | "shared" | "id-per-caller" | "session-per-key" | "single-owner";

/** How a gateway should connect to the server. */
export interface Advice {
  readonly pooling: Pooling;
  /** The era to use. Absent if none was found. */
  readonly era?: "modern" | "legacy";
  readonly text: string;
}

export function toAdvice(modern: EraVerdict, legacy: EraVerdict, transport: Transport | undefined): Advice {
  if (modern.isSpoken && modern.word === "STATELESS") {
    const era = "modern";
    if (transport !== "stdio")
      return { pooling: "pass-through", era, text: "forward modern requests over shared connections" };
    const text = "keep a process for each caller; share one only if its tools keep no state in it";
    return { pooling: "session-per-key", era, text };
  }
  const era = legacy.isSpoken ? ({ era: "legacy" } as const) : {};
  switch (legacy.contract) {
    case "none":
      return { pooling: "shared", ...era, text: "share kept-alive connections between all callers; no affinity" };
    case "optional":
      return {
        pooling: "shared",
        ...era,
        text: "share kept-alive connections between all callers and send no session id",
      };
    case "soft":
      return { pooling: "id-per-caller", ...era, text: "send one session id for each caller; any instance accepts it" };
    case "enforced":
    case "implicit":
      return {
        pooling: "session-per-key",
        ...era,
        text: "keep a session for each caller, on the instance that issued it",
      };
    case "process":
      return {
        pooling: "session-per-key",
        ...era,
        text: "keep a process for each caller; share one only if that is safe",
      };
    case "single-tenant":
      return {
        pooling: "single-owner",
        ...era,
        text: "keep its only session in one place and send one request at a time",
      };
    default:
      return { pooling: "session-per-key", ...era, text: "unknown: treat it as a server that enforces sessions" };
  }
}
