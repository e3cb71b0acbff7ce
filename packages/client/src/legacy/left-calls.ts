// Cancelled calls that a legacy server may still be working on: not every server stops, few say that they have, and one that
// goes on may ask. They are remembered until the server has answered them.
import type { RequestId } from "@lethe/protocol";
import { startBackgroundTimer } from "../call/background-timer.ts";
import { type Call, isForeign } from "./call.ts";

export interface LeftCalls {
  readonly size: number;
  readonly calls: Iterable<Call>;
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
const maxLeft = 1_000;

/** `isAsking` is true for calls of tools that are known to ask. `onSettled` is told when nobody waits for a call any more. */
export function createLeftCalls(isAsking: (call: Call) => boolean, onSettled: () => void): LeftCalls {
  const left = new Map<RequestId, Call>();
  const fresh = new Set<Call>();
  /** More were cancelled than are remembered. */
  let hasMore = false;

  function isStale(call: Call): boolean {
    return !fresh.has(call) && isAsking(call);
  }

  return {
    get size() {
      return left.size;
    },
    get calls() {
      return left.values();
    },
    add(call) {
      if (left.size >= maxLeft) {
        hasMore = true;
        return;
      }
      left.set(call.id, call);
      fresh.add(call);
      startBackgroundTimer(() => {
        if (fresh.delete(call)) onSettled();
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
