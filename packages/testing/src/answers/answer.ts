// The answers that a test gives to the input requests of a server.
import type { InputRequestContext } from "@lethe/client";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  ElicitValue,
  InputRequest,
  ListRootsResult,
  Root,
} from "@lethe/protocol";

/** An input request of the server, as the script sees it. */
export interface Question {
  /** 1 for the first input request of the client, 2 for the second. */
  readonly position: number;
  /** "elicitation/create", "sampling/createMessage" or "roots/list". */
  readonly method: InputRequest["method"];
  /** The message of an elicitation, the last text of a sampling request, or "". */
  readonly message: string;
  /** The params of the input request; undefined for roots. */
  readonly params: ElicitFormParams | ElicitUrlParams | CreateMessageParams | undefined;
  /** The call that led to the input request, and the signal that ends the wait. */
  readonly context: InputRequestContext;
}

/** What an input request is answered with. `accept`, `decline`, `cancel`, `sampled` and `folders` create these objects. */
export type AnswerValue = ElicitResult | CreateMessageResult | ListRootsResult;

/** One entry of a script: an answer, or a function that decides by the question. A function that throws fails the call. */
export type Answer = AnswerValue | ((question: Question) => AnswerValue | Promise<AnswerValue>);

/**
 * Accepts an elicitation: the content of a form, or nothing for a URL. Fields that are left out get the defaults of the form.
 *
 * @example
 * import { accept } from "@lethe/server/testing";
 *
 * console.log(accept({ name: "Ann" })); // { action: 'accept', content: { name: 'Ann' } }
 */
export function accept(content?: { readonly [field: string]: ElicitValue }): ElicitResult {
  return content === undefined ? { action: "accept" } : { action: "accept", content: { ...content } };
}

/**
 * Declines an elicitation: the user says no.
 *
 * @example
 * import { decline } from "@lethe/server/testing";
 *
 * console.log(decline()); // { action: 'decline' }
 */
export function decline(): ElicitResult {
  return { action: "decline" };
}

/**
 * Cancels an elicitation: the user closes the form without a decision.
 *
 * @example
 * import { cancel } from "@lethe/server/testing";
 *
 * console.log(cancel()); // { action: 'cancel' }
 */
export function cancel(): ElicitResult {
  return { action: "cancel" };
}

/**
 * Answers a sampling request with the text of a model named "test-model". Other members of the result can be overridden.
 *
 * @example
 * import { sampled } from "@lethe/server/testing";
 *
 * const answer = sampled("A haiku.", { stopReason: "maxTokens" });
 * console.log(answer.content, answer.stopReason); // { type: 'text', text: 'A haiku.' } maxTokens
 */
export function sampled(text: string, more: Partial<CreateMessageResult> = {}): CreateMessageResult {
  return {
    role: "assistant",
    model: "test-model",
    stopReason: "endTurn",
    content: { type: "text", text },
    ...more,
  };
}

/**
 * Answers a roots request with these folders: URIs, or roots with a name.
 *
 * @example
 * import { folders } from "@lethe/server/testing";
 *
 * console.log(folders("file:///home/ann")); // { roots: [ { uri: 'file:///home/ann' } ] }
 */
export function folders(...roots: readonly (string | Root)[]): ListRootsResult {
  return { roots: roots.map((root) => (typeof root === "string" ? { uri: root } : root)) };
}
