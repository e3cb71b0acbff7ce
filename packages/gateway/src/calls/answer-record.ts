// Records the input requests and answers of a call that may run again, so that the second run does not ask its caller twice.
// A call runs again only if both its tool and the operator allow it.
import { type InputRequests, isJsonObject, type JsonObject, type McpError } from "@lethe/protocol";
import { digestOf } from "@lethe/server/edge";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import type { AnswerRecord, RequestState } from "./request-state.ts";

/** Adds the answers of this round to those of the rounds before. */
export function addAnswers({ asked, answers }: AnswerRecord, responses: JsonObject): AnswerRecord["answers"] {
  const all: Record<string, readonly JsonObject[]> = { ...answers };
  for (const [key, digest] of Object.entries(asked)) {
    const answer = responses[key];
    if (isJsonObject(answer)) all[digest] = [...(all[digest] ?? []), answer];
  }
  return all;
}

/** The digest of each input request, by key. */
export async function digestsOf(inputRequests: InputRequests): Promise<AnswerRecord["asked"]> {
  const digests = Object.entries(inputRequests).map(async ([key, request]) => [key, await digestOf(request)]);
  return Object.fromEntries(await Promise.all(digests));
}

/** Plays a record back: each answer once, in its original order. */
export class Playback {
  readonly #left: Map<string, JsonObject[]>;

  constructor(answers: AnswerRecord["answers"]) {
    this.#left = new Map(Object.entries(answers).map(([digest, list]) => [digest, [...list]]));
  }

  /** The recorded answers to these input requests; undefined when there is none. */
  answer(asked: AnswerRecord["asked"]): JsonObject | undefined {
    const known = Object.entries(asked).flatMap(([key, digest]) => {
      const answer = this.#left.get(digest)?.shift();
      return answer ? [[key, answer]] : [];
    });
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  }
}

/** All answers so far; undefined for a call that may not run again. */
export function answersOf(
  { request, target }: ForwardedCall,
  { record }: RequestState,
): AnswerRecord["answers"] | undefined {
  if (!target.isRepeatable || !record) return undefined;
  return addAnswers(record, (request.params.inputResponses ?? {}) as JsonObject);
}

/** The error for a retry whose pending call is lost and was not run again. */
export function callGone({ target }: ForwardedCall, why: string): McpError {
  const what = `no longer has the call that requested this input: ${why}; it was not run again`;
  return upstreamError(target.sessions.name, "call_gone", what);
}
