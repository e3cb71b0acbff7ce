// Remembers cancelled calls that a legacy server may still be working on. Not every server stops a cancelled call, and a call that
// continues may send an elicitation. Each call is remembered until the server has answered it.
import type { RequestId } from "@lethe/protocol";
import { startBackgroundTimer } from "../call/background-timer.ts";
import { SparseMap, SparseSet } from "../call/sparse-collections.ts";
import { type Call, isForeign } from "./call.ts";
import type { CallTarget } from "./eliciting-tools.ts";

/** A cancelled call without its arguments, which could otherwise be kept for ever. */
export type CancelledCall = Pick<Call, "id" | "conversation"> & { readonly request: CallTarget };

/** How long other calls wait for the end of a cancelled call, in milliseconds. */
const freshMs = 2_000;
const maxCancelled = 1_000;

export class CancelledCalls {
  readonly #isAsking: (call: CancelledCall) => boolean;
  readonly #onSettled: () => void;
  readonly #cancelled: SparseMap<RequestId, CancelledCall> = new SparseMap();
  readonly #fresh: SparseSet<CancelledCall> = new SparseSet();
  /** The limit was exceeded. The ends of those calls go unnoticed, so this stays true until `clear`. */
  #hasMore = false;

  /** `isAsking` is true for calls of tools that are known to ask. Calls `onSettled` when other calls need not wait any more. */
  constructor(isAsking: (call: CancelledCall) => boolean, onSettled: () => void) {
    this.#isAsking = isAsking;
    this.#onSettled = onSettled;
  }

  /** 0 only when there are none. All calls beyond the limit count as one. */
  get size(): number {
    return this.#cancelled.size + (this.#hasMore ? 1 : 0);
  }

  get calls(): Iterable<CancelledCall> {
    return this.#cancelled.values();
  }

  add(call: Call): void {
    if (this.#cancelled.size >= maxCancelled) {
      this.#hasMore = true;
      return;
    }
    const kept = toCancelled(call);
    this.#cancelled.set(kept.id, kept);
    this.#fresh.add(kept);
    startBackgroundTimer(() => {
      if (this.#fresh.delete(kept)) this.#onSettled();
    }, freshMs);
  }

  /** The server has answered the call, so it cannot ask any more. */
  settle(id: RequestId | undefined): void {
    const call = this.#cancelled.size > 0 && id !== undefined ? this.#cancelled.get(id) : undefined;
    if (!call) return;
    this.#cancelled.delete(call.id);
    if (this.#fresh.delete(call)) this.#onSettled();
  }

  /** Whether a call of another conversation was cancelled so recently that waiting for its end is worthwhile. */
  hasFresh(call: Call): boolean {
    for (const other of this.#fresh) if (isForeign(other, call)) return true;
    return false;
  }

  /** Whether a call of another conversation may still ask although it was cancelled too long ago to wait for it. */
  hasStale(call: Call): boolean {
    if (this.#hasMore) return true;
    for (const other of this.#cancelled.values()) if (isForeign(other, call) && this.#isStale(other)) return true;
    return false;
  }

  /** Whether all cancelled calls belong to the conversation of `call`. True when there are none. */
  areOf(call: Call): boolean {
    if (this.#hasMore) return false;
    for (const other of this.#cancelled.values()) if (isForeign(other, call)) return false;
    return true;
  }

  /** Forgets all calls: a new session knows none of them. */
  clear(): void {
    this.#cancelled.clear();
    this.#fresh.clear();
    this.#hasMore = false;
    this.#onSettled();
  }

  #isStale(call: CancelledCall): boolean {
    return !this.#fresh.has(call) && this.#isAsking(call);
  }
}

function toCancelled({ id, conversation, request: { method, params } }: Call): CancelledCall {
  const { name, uri } = params;
  return { id, conversation, request: { method, params: { name, uri } } };
}
