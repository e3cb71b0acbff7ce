// Answers that an operator gives to pending calls in the place of their callers. The call continues at once. Its caller gets the result
// with its own retry, regardless of what that retry answers.
import { errorCode, type JsonObject, McpError, type Result } from "@lethe/protocol";
import { createOwnExchange } from "../upstreams/connection/own-request.ts";
import type { GatewayPendingCalls, SessionHold } from "./pending-call.ts";
import { transmit } from "./send-upstream.ts";

/** An answered call whose caller has not come for the result. */
export interface AnsweredCall {
  readonly hold: SessionHold;
  /** The result of the upstream. */
  readonly result: Promise<Result>;
}

export interface ActedCall {
  readonly upstream: string;
  readonly name: string;
  readonly caller: string | undefined;
}

/** Results that wait for their callers. */
const maxAnswered = 100;

export class OperatorAnswers {
  readonly #pendingCalls: GatewayPendingCalls;
  readonly #answered: Map<string, AnsweredCall & { readonly expiresAt: number }> = new Map();

  constructor(pendingCalls: GatewayPendingCalls) {
    this.#pendingCalls = pendingCalls;
  }

  /** `id` is that of the holder. Undefined for an unknown call. Throws McpError -32602 for an answer that does not fit, as a caller gets it. */
  answer(id: string, responses: JsonObject): ActedCall | undefined {
    const found = this.#find(id);
    if (!found) return undefined;
    const { pendingId, hold, callerId } = found;
    if (hold.isOfTask) throw new McpError(errorCode.invalidRequest, "the call is part of a task: answer the task");
    this.#forgetExpired();
    if (this.#answered.size >= maxAnswered) {
      throw new McpError(errorCode.invalidRequest, `${maxAnswered} answered calls wait for their callers already`);
    }
    const dispatch = this.#pendingCalls.resume(pendingId, responses, callerId);
    hold.answered();
    const caller = callerId === undefined ? undefined : { id: callerId };
    const exchange = createOwnExchange({ signal: new AbortController().signal, caller });
    const { sessions, session, target, request } = hold;
    sessions.enter(session);
    const result = transmit({ target, request, exchange }, session, { dispatch }).finally(() =>
      sessions.leave(session),
    );
    // The caller gets the error with its retry.
    result.catch(() => {});
    this.#answered.set(pendingId, { hold, result, expiresAt: Date.now() + this.#pendingCalls.ttlMs });
    return toActed(hold, callerId);
  }

  /** Undefined for an unknown call. */
  cancel(id: string): ActedCall | undefined {
    const found = this.#find(id);
    if (!found) return undefined;
    this.#pendingCalls.abandon(found.pendingId, "an operator cancelled the call");
    return toActed(found.hold, found.callerId);
  }

  /** The answered call, for its caller. */
  take(pendingId: string): AnsweredCall | undefined {
    const answered = this.#answered.get(pendingId);
    this.#answered.delete(pendingId);
    return answered;
  }

  #find(id: string): { pendingId: string; hold: SessionHold; callerId: string | undefined } | undefined {
    for (const { id: pendingId, holder, callerId } of this.#pendingCalls.list()) {
      if (holder?.id === id) return { pendingId, hold: holder, callerId };
    }
    return undefined;
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const [id, { expiresAt }] of this.#answered) if (expiresAt <= now) this.#answered.delete(id);
  }
}

function toActed({ sessions, name }: SessionHold, caller: string | undefined): ActedCall {
  return { upstream: sessions.name, name, caller };
}
