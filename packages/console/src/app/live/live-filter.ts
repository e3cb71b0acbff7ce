// Which requests the live list shows.
import type { Exchange } from "../admin/admin-api.ts";

export interface LiveFilter {
  /** Words that must all appear in the method, name, caller, upstream or reason. */
  readonly q?: string;
  readonly upstream?: string;
  /** `failed`: errors of the protocol and of tools. */
  readonly outcome?: string;
}

function isFailure({ outcome }: Pick<Exchange, "outcome">): boolean {
  return outcome === "error" || outcome === "tool_error" || outcome === "rejected";
}

/** Newest first. */
export function select(exchanges: readonly Exchange[], { q = "", upstream, outcome }: LiveFilter): Exchange[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (exchange: Exchange): boolean => {
    if (upstream !== undefined && exchange.upstream !== upstream) return false;
    if (outcome === "failed" ? !isFailure(exchange) : outcome !== undefined && exchange.outcome !== outcome)
      return false;
    if (words.length === 0) return true;
    const text = textOf(exchange);
    return words.every((word) => text.includes(word));
  };
  return exchanges.filter(isWanted).reverse();
}

function textOf({ method, name, caller, upstream, reason, replica, id }: Exchange): string {
  return [method, name, caller, upstream, reason, replica, id].join(" ").toLowerCase();
}
