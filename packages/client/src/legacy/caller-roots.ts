// Roots that a server asks for outside of any call, on a connection with one caller: the roots that this caller gave last, or
// else those of its next call.
import { errorCode, type JsonObject, type JsonRpcRequest, type RequestId } from "@lethe/protocol";
import { legacyNotification } from "@lethe/protocol/revisions";
import type { Requester } from "../call/requester.ts";

export interface CallerRootsOptions {
  readonly requester: Pick<Requester, "respond" | "refuse" | "notify">;
  /** How many requests wait for a call. Default 16. */
  readonly maxWaiting?: number;
  /** How long one waits, in milliseconds. Default 30,000. */
  readonly rootsWaitMs?: number;
}

export interface CallerRoots {
  /** Answers now or later. False when too many requests wait: then it is the caller's to refuse. */
  ask(message: JsonRpcRequest): boolean;
  withdraw(id: RequestId): void;
  /** The requests that wait, for a call that can ask its caller. They are then the call's to answer. */
  take(): JsonRpcRequest[];
  /** Forgets the caller's roots and notifies the server if `version` is new. Called before each call of a caller with roots. */
  update(version: number | undefined): void;
  /** What the caller answered. */
  learn(result: JsonObject): void;
  /** Refuses what waits. */
  close(): void;
}

export function createCallerRoots({
  requester,
  maxWaiting = 16,
  rootsWaitMs = 30_000,
}: CallerRootsOptions): CallerRoots {
  const waiting = new Map<RequestId, { message: JsonRpcRequest; timer: ReturnType<typeof setTimeout> }>();
  let known: JsonObject | undefined;
  let knownVersion: number | undefined;

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
