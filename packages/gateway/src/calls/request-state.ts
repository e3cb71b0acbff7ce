// What a gateway writes into the `requestState` of its callers (J-55): where the call goes on, sealed (E-27, E-28).
import { type Exchange, isJsonObject, type JsonObject, type ModernRequest, targetNameOf } from "@lethe/protocol";
import { type Binding, invalidRequestState, type Seal, toCanonicalJson } from "@lethe/server/edge";
import type { Round } from "@lethe/server/stores";
import type { KeptEra } from "../upstreams/sessions/era-choice.ts";

export interface RequestState {
  readonly upstream: string;
  /** The era of the connection that the call began on, where the upstream has one for each. Absent for the newer one. */
  readonly era?: KeptEra;
  /** What the upstream gave. */
  readonly inner?: string;
  /** Where the call waits; absent when nothing does, because the upstream keeps no call open. */
  readonly parked?: { readonly replica: string; readonly session: string };
  /** The session that the next round belongs to, when its caller could not name it. */
  readonly handle?: string;
  /** For a call that may run again: what was asked in this round, and what was answered in the rounds before. */
  readonly record?: AnswerRecord;
  /** Of the token that the caller brought. Not sealed; absent for a state that is kept with a task. */
  readonly round?: Pick<Round, "id" | "expiresAt">;
}

export interface AnswerRecord {
  /** By the key of this round, the digest of the question. */
  readonly asked: Readonly<Record<string, string>>;
  /** By digest, in the order in which the same question was asked. */
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
 * As the caller sees the call: under its public name, with the arguments that were sent. The target is picked by the
 * method, since a client may send both a name and a URI.
 */
function bindingOf({ method: called, params }: ModernRequest, { caller }: Exchange): Binding {
  const target = targetNameOf(called, params) ?? "";
  return { callerId: caller?.id, method: called, target, arguments: toCanonicalJson(params.arguments ?? {}) };
}

function isRequestState(value: JsonObject): value is JsonObject & RequestState {
  return typeof value.upstream === "string" && (value.parked === undefined || isJsonObject(value.parked));
}
