// What a server has to change for a client of one older revision (D.6).
import type { JsonObject, JsonRpcNotification } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../meta/capabilities.ts";
import type { Result } from "../meta/result.ts";
import type { InputRequest } from "../model/input.ts";
import type { LegacyRevision } from "./revision.ts";

/** An input request as a live request to the client (D-23), without its id. */
export interface LegacyQuestion {
  method: string;
  params?: JsonObject;
}

export interface RevisionCodec {
  readonly revision: LegacyRevision;
  /** One body or one line may hold an array of messages (D-31). */
  readonly hasBatches: boolean;
  /** An event stream begins with an event that has an id and no data, so that it can be resumed from the start (D-35). */
  readonly hasFirstEventId: boolean;
  /** Tools may be called as core tasks (D-38). */
  readonly hasTasks: boolean;
  /** What a client declared in `initialize`, in the words of today. */
  toModernCapabilities(declared: JsonObject): ClientCapabilities;
  toLegacyCapabilities(served: ServerCapabilities): JsonObject;
  /** A complete result of `method`. */
  toLegacyResult(method: string, result: Result): JsonObject;
  /** `elicitationId` names a question by URL until it is complete (D-39). */
  toLegacyQuestion(question: InputRequest, elicitationId: string): LegacyQuestion;
  /** The client's result, as an input response to `question`. Still to be checked by whoever asked (E-29). */
  fromLegacyAnswer(question: InputRequest, answer: JsonObject): JsonObject;
  /** A notification that belongs to a request. */
  toLegacyNotification(notification: JsonRpcNotification): JsonRpcNotification;
}
