// One RPC method as the dispatch sees it.
import type { Exchange, ModernRequest, Result } from "@lethe/protocol";
import type { ServerParts } from "./server-parts.ts";

export interface Method {
  answer(parts: ServerParts, request: ModernRequest, exchange: Exchange): Result | Promise<Result>;
}
