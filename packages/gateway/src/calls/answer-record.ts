// What was asked and answered in a call that may run again (field: never silently, and only where the tool says that it does
// no harm): its second run asks the same, and the caller is not asked twice.
import { type InputRequests, isJsonObject, type JsonObject, type McpError } from "@lethe/protocol";
import { digestOf } from "@lethe/server/edge";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import type { AnswerRecord, RequestState } from "./request-state.ts";

/** What is known so far, with what this round's retry brings. */
export function addAnswers({ asked, answers }: AnswerRecord, responses: JsonObject): AnswerRecord["answers"] {
  const all: Record<string, readonly JsonObject[]> = { ...answers };
  for (const [key, digest] of Object.entries(asked)) {
    const answer = responses[key];
    if (isJsonObject(answer)) all[digest] = [...(all[digest] ?? []), answer];
  }
  return all;
}

export async function toAsked(questions: InputRequests): Promise<AnswerRecord["asked"]> {
  const digests = Object.entries(questions).map(async ([key, question]) => [key, await digestOf(question)]);
  return Object.fromEntries(await Promise.all(digests));
}

/** Plays a record back: each answer once, in the order in which it was given. */
export class Playback {
  readonly #left: Map<string, JsonObject[]>;

  constructor(answers: AnswerRecord["answers"]) {
    this.#left = new Map(Object.entries(answers).map(([digest, list]) => [digest, [...list]]));
  }

  /** The answers to what is asked, as far as they are known; undefined when none is. */
  answer(asked: AnswerRecord["asked"]): JsonObject | undefined {
    const known = Object.entries(asked).flatMap(([key, digest]) => {
      const answer = this.#left.get(digest)?.shift();
      return answer ? [[key, answer]] : [];
    });
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  }
}

/** Undefined for a call that may not run again. */
export function answersOf(
  { request, target }: ForwardedCall,
  { record }: RequestState,
): AnswerRecord["answers"] | undefined {
  if (!target.isRepeatable || !record) return undefined;
  return addAnswers(record, (request.params.inputResponses ?? {}) as JsonObject);
}

export function callGone({ target }: ForwardedCall, why: string): McpError {
  const what = `does not know the call any more that asked for this: ${why}; it was not run again`;
  return upstreamError(target.sessions.name, "call_gone", what);
}
