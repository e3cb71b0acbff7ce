// Answers `roots/list` outside of any call, on a connection with one caller: with the roots that the caller gave last, or with
// those of its next call.
import { errorCode, type JsonObject, type JsonRpcRequest, type RequestId } from "@lethe/protocol";
import { legacyNotification } from "@lethe/protocol/revisions";
import type { Requester } from "../call/requester.ts";
import { SparseMap } from "../call/sparse-collections.ts";

export interface CallerRootsOptions {
  readonly requester: Pick<Requester, "respond" | "refuse" | "notify">;
  /** How many requests may wait for a call. Default 16. */
  readonly maxWaiting?: number;
  /** How long a request waits, in milliseconds. Default 30,000. */
  readonly rootsWaitMs?: number;
}

export interface CallerRoots {
  /** Answers now or later. Returns false when too many requests wait; the request is then not answered here. */
  ask(message: JsonRpcRequest): boolean;
  withdraw(id: RequestId): void;
  /** Removes and returns the waiting requests, for a call that can ask its caller. */
  take(): JsonRpcRequest[];
  /** Forgets the caller's roots and notifies the server if `version` is new. Called before each call of a caller with roots. */
  update(version: string | undefined): void;
  /** Stores the roots of the caller, and answers waiting requests. */
  learn(result: JsonObject): void;
  /** Refuses the waiting requests. */
  close(): void;
}

export function createCallerRoots({
  requester,
  maxWaiting = 16,
  rootsWaitMs = 30_000,
}: CallerRootsOptions): CallerRoots {
  const waiting = new SparseMap<RequestId, { message: JsonRpcRequest; timer: ReturnType<typeof setTimeout> }>();
  let known: JsonObject | undefined;
  let knownVersion: string | undefined;

  function release(id: RequestId): JsonRpcRequest | undefined {
    const found = waiting.get(id);
    if (!found) return undefined;
    clearTimeout(found.timer);
    waiting.delete(id);
    return found.message;
  }

  function refuse(id: RequestId): void {
    if (release(id)) requester.refuse(id, { code: errorCode.methodNotFound, message: "no caller has given its roots" });
  }

  return {
    ask(message) {
      const { id } = message;
      if (known) requester.respond(id, known);
      else if (waiting.has(id)) return true;
      else if (waiting.size >= maxWaiting) return false;
      else waiting.set(id, { message, timer: setTimeout(() => refuse(id), rootsWaitMs) });
      return true;
    },
    withdraw: release,
    update(version) {
      if (version === undefined || version === knownVersion) return;
      knownVersion = version;
      known = undefined;
      // A connection that cannot send any more ends its calls by itself.
      requester.notify(legacyNotification.rootsChanged).catch(() => {});
    },
    take: () => [...waiting.keys()].flatMap((id) => release(id) ?? []),
    learn(result) {
      known = result;
      for (const { id } of this.take()) requester.respond(id, result);
    },
    close() {
      for (const id of [...waiting.keys()]) refuse(id);
    },
  };
}
