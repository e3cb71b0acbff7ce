// Cancelled calls that a legacy server may still be working on: not every server stops, few say that they have, and one that
// goes on may ask. They are remembered until the server has answered them.
import type { RequestId } from "@lethe/protocol";
import { startBackgroundTimer } from "../call/background-timer.ts";
import { type Call, isForeign } from "./call.ts";
import type { CallTarget } from "./eliciting-tools.ts";

/** What is remembered of a cancelled call: not its arguments, which the server may never let go of. */
export type CancelledCall = Pick<Call, "id" | "conversation"> & { readonly request: CallTarget };

export interface CancelledCalls {
  /** 0 only when there are none: calls beyond those that are remembered count as one. */
  readonly size: number;
  readonly calls: Iterable<CancelledCall>;
  add(call: Call): void;
  /** The server has answered it after all: it does not ask any more. */
  settle(id: RequestId | undefined): void;
  /** Whether one of another conversation was cancelled so recently that it is worth waiting for its end. */
  hasFresh(call: Call): boolean;
  /** Whether one of another conversation may ask that was cancelled so long ago that nobody waits for its end any more. */
  hasStale(call: Call): boolean;
  /** Whether all of them, if any, belong to the conversation of `call`. */
  areOf(call: Call): boolean;
  /** The session is another: the server has forgotten them. */
  clear(): void;
}

/** How long others wait for the end of a cancelled call, in milliseconds. */
const freshMs = 2_000;
const maxCancelled = 1_000;

/** `isAsking` is true for calls of tools that are known to ask. `onSettled` is told when nobody waits for a call any more. */
export function createCancelledCalls(
  isAsking: (call: CancelledCall) => boolean,
  onSettled: () => void,
): CancelledCalls {
  const left = new Map<RequestId, CancelledCall>();
  const fresh = new Set<CancelledCall>();
  /** More were cancelled than are remembered. Their ends go unnoticed, so that this stays true until `clear`. */
  let hasMore = false;

  function isStale(call: CancelledCall): boolean {
    return !fresh.has(call) && isAsking(call);
  }

  return {
    get size() {
      return left.size + (hasMore ? 1 : 0);
    },
    get calls() {
      return left.values();
    },
    add(call) {
      if (left.size >= maxCancelled) {
        hasMore = true;
        return;
      }
      const kept = toCancelled(call);
      left.set(kept.id, kept);
      fresh.add(kept);
      startBackgroundTimer(() => {
        if (fresh.delete(kept)) onSettled();
      }, freshMs);
    },
    settle(id) {
      const call = left.size > 0 && id !== undefined ? left.get(id) : undefined;
      if (!call) return;
      left.delete(call.id);
      if (fresh.delete(call)) onSettled();
    },
    hasFresh(call) {
      for (const other of fresh) if (isForeign(other, call)) return true;
      return false;
    },
    hasStale(call) {
      if (hasMore) return true;
      for (const other of left.values()) if (isForeign(other, call) && isStale(other)) return true;
      return false;
    },
    areOf(call) {
      if (hasMore) return false;
      for (const other of left.values()) if (isForeign(other, call)) return false;
      return true;
    },
    clear() {
      left.clear();
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
