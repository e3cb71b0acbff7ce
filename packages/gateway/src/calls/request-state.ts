// What the gateway seals into the `requestState` of its callers: where the next round of a call goes.
import {
  type Exchange,
  isJsonObject,
  type JsonObject,
  type ModernRequest,
  methodInfo,
  targetNameOf,
} from "@lethe/protocol";
import { type Binding, invalidRequestState, type Seal, toCanonicalJson } from "@lethe/server/edge";
import type { Round } from "@lethe/server/stores";
import type { KeptEra } from "../upstreams/sessions/era-choice.ts";
import type { PendingCallReference } from "./pending-call.ts";

export interface RequestState {
  readonly upstream: string;
  /** The era of the connection that the call began on, where the upstream has one for each. Absent for the newer one. */
  readonly era?: KeptEra;
  /** The `requestState` of a modern upstream, which keeps no call open. */
  readonly inner?: string;
  /** The call that waits at a legacy upstream. */
  readonly pending?: PendingCallReference;
  /** The session that the next round belongs to, when its caller could not name it. */
  readonly handle?: string;
  /** Links the rounds of the call in what administrators see. */
  readonly call?: string;
  /** The span of this round, for a link from the next one. It is no part of the binding. */
  readonly span?: string;
  /** For a call that may run again: the input requests of this round, and the answers of the rounds before. */
  readonly record?: AnswerRecord;
  /** Of the token that the caller sent. Not sealed; absent for a state that is kept with a task. */
  readonly round?: Pick<Round, "id" | "expiresAt">;
}

export interface AnswerRecord {
  /** The digest of each input request, by its key in this round. */
  readonly asked: Readonly<Record<string, string>>;
  /** By digest, in the order in which the same input request came. */
  readonly answers: Readonly<Record<string, readonly JsonObject[]>>;
}

export interface RequestStateSeal {
  seal(state: RequestState, request: ModernRequest, exchange: Exchange): Promise<string>;
  /** Throws McpError -32602, the same for every reason. */
  open(token: string, request: ModernRequest, exchange: Exchange): Promise<RequestState>;
}

export function createRequestStateSeal(seal: Seal): RequestStateSeal {
  return {
    async seal(state, request, exchange) {
      return seal.seal({ ...state }, bindingOf(request, exchange));
    },
    async open(token, request, exchange) {
      const { payload, id, expiresAt } = await seal.openToken(token, bindingOf(request, exchange));
      if (!isRequestState(payload)) throw invalidRequestState();
      return { ...payload, round: { id, expiresAt } };
    },
  };
}

/**
 * As the caller sees the call: its public name, and the arguments that were sent. The method selects the target, because a
 * client may send both a name and a URI. A method that the model does not know is bound to all its params.
 */
function bindingOf({ method: called, params }: ModernRequest, { caller }: Exchange): Binding {
  const target = targetNameOf(called, params) ?? "";
  const { _meta: _, inputResponses: __, requestState: ___, ...own } = params;
  const args = methodInfo(called) ? (params.arguments ?? {}) : own;
  return { callerId: caller?.id, method: called, target, arguments: toCanonicalJson(args) };
}

function isRequestState(value: JsonObject): value is JsonObject & RequestState {
  return typeof value.upstream === "string" && (value.pending === undefined || isJsonObject(value.pending));
}
