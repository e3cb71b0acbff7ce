// What a gateway should do with a server of this verdict. A hypothesis for the first request, not for ever: what the server
// does at run time wins.
import type { Transport } from "../behaviour/findings.ts";
import type { EraVerdict } from "./era-verdict.ts";

/**
 * pass-through: send modern requests on. shared: any connection for anybody, no session. id-per-caller: one id for each
 * caller, any instance may take it. session-per-key: a session, stream or process for each caller or affinity key, with one
 * owner. single-owner: one session for all, one request at a time.
 */
export type Pooling = "pass-through" | "shared" | "id-per-caller" | "session-per-key" | "single-owner";

export interface Advice {
  readonly pooling: Pooling;
  /** The era to speak; absent when none was found. */
  readonly era?: "modern" | "legacy";
  readonly text: string;
}

export function toAdvice(modern: EraVerdict, legacy: EraVerdict, transport: Transport | undefined): Advice {
  if (modern.isSpoken && modern.word === "STATELESS") {
    const era = "modern";
    if (transport !== "stdio")
      return { pooling: "pass-through", era, text: "pass modern requests on over shared connections" };
    const text = "keep a process for each caller; share one only where you know that its tools keep no state in it";
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
      return { pooling: "id-per-caller", ...era, text: "send one session id for each caller; any instance takes it" };
    case "enforced":
    case "implicit":
      return {
        pooling: "session-per-key",
        ...era,
        text: "keep a session for each caller, on the instance that gave it out",
      };
    case "process":
      return {
        pooling: "session-per-key",
        ...era,
        text: "keep a process for each caller; share one only where you know that it is safe",
      };
    case "single-tenant":
      return {
        pooling: "single-owner",
        ...era,
        text: "hold its one session in one place and send one request at a time",
      };
    default:
      return { pooling: "session-per-key", ...era, text: "not known: treat it as one that enforces sessions" };
  }
}
