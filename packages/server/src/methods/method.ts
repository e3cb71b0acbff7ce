// One RPC method as the dispatch sees it.
import type { Exchange, ModernRequest, Result, ServerCapabilities } from "@lethe/protocol";
import type { ServerParts } from "./server-parts.ts";

export interface Method {
  /** A method is served exactly when its capability is advertised (E-4, J-31). */
  isServed(capabilities: ServerCapabilities): boolean;
  answer(parts: ServerParts, request: ModernRequest, exchange: Exchange): Result | Promise<Result>;
}
