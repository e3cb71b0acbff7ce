// Remembers cancelled calls that a legacy server may still be working on. Not every server stops a cancelled call, and a call that
// continues may send an elicitation. Each call is remembered until the server has answered it.
import type { RequestId } from "@lethe/protocol";
import { startBackgroundTimer } from "../call/background-timer.ts";
import { type Call, isForeign } from "./call.ts";
import type { CallTarget } from "./eliciting-tools.ts";

/** A cancelled call without its arguments, which could otherwise be kept for ever. */
export type CancelledCall = Pick<Call, "id" | "conversation"> & { readonly request: CallTarget };

export interface CancelledCalls {
  /** 0 only when there are none. All calls beyond the limit count as one. */
  readonly size: number;
  readonly calls: Iterable<CancelledCall>;
  add(call: Call): void;
  /** The server has answered the call, so it cannot ask any more. */
  settle(id: RequestId | undefined): void;
  /** Whether a call of another conversation was cancelled so recently that waiting for its end is worthwhile. */
  hasFresh(call: Call): boolean;
  /** Whether a call of another conversation may still ask although it was cancelled too long ago to wait for it. */
  hasStale(call: Call): boolean;
  /** Whether all cancelled calls belong to the conversation of `call`. True when there are none. */
  areOf(call: Call): boolean;
  /** Forgets all calls: a new session knows none of them. */
  clear(): void;
}

/** How long other calls wait for the end of a cancelled call, in milliseconds. */
const freshMs = 2_000;
const maxCancelled = 1_000;

/** `isAsking` is true for calls of tools that are known to ask. Calls `onSettled` when other calls need not wait any more. */
export function createCancelledCalls(
  isAsking: (call: CancelledCall) => boolean,
  onSettled: () => void,
): CancelledCalls {
  const cancelled = new Map<RequestId, CancelledCall>();
  const fresh = new Set<CancelledCall>();
  /** The limit was exceeded. The ends of those calls go unnoticed, so this stays true until `clear`. */
  let hasMore = false;

  function isStale(call: CancelledCall): boolean {
    return !fresh.has(call) && isAsking(call);
  }

  return {
    get size() {
      return cancelled.size + (hasMore ? 1 : 0);
    },
    get calls() {
      return cancelled.values();
    },
    add(call) {
      if (cancelled.size >= maxCancelled) {
        hasMore = true;
        return;
      }
      const kept = toCancelled(call);
      cancelled.set(kept.id, kept);
      fresh.add(kept);
      startBackgroundTimer(() => {
        if (fresh.delete(kept)) onSettled();
      }, freshMs);
    },
    settle(id) {
      const call = cancelled.size > 0 && id !== undefined ? cancelled.get(id) : undefined;
      if (!call) return;
      cancelled.delete(call.id);
      if (fresh.delete(call)) onSettled();
    },
    hasFresh(call) {
      for (const other of fresh) if (isForeign(other, call)) return true;
      return false;
    },
    hasStale(call) {
      if (hasMore) return true;
      for (const other of cancelled.values()) if (isForeign(other, call) && isStale(other)) return true;
      return false;
    },
    areOf(call) {
      if (hasMore) return false;
      for (const other of cancelled.values()) if (isForeign(other, call)) return false;
      return true;
    },
    clear() {
      cancelled.clear();
      fresh.clear();
      hasMore = false;
      onSettled();
    },
  };
}

function toCancelled({ id, conversation, request: { method, params } }: Call): CancelledCall {
  const { name, uri } = params;
  return { id, conversation, request: { method, params: { name, uri } } };
}
