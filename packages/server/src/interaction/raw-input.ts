// Input requests returned with `inputRequired` (E.3), and their validated responses in the next round.
import {
  answerUnder,
  type ClientCapabilities,
  type ElicitSchema,
  type InputRequest,
  isJsonObject,
  type JsonObject,
  withParams,
} from "@lethe/protocol";
import type { InputRequired } from "../features/input-required.ts";
import { toCanonicalJson } from "../seal/digest.ts";
import { toElicitSchema } from "./form-schema.ts";
import { type Reading, readForm, readRoots, readSample, readUrlAnswer } from "./input-request.ts";
import type { Journal, SentInputRequest } from "./journal.ts";
import { checkNeeds, needsOf } from "./needs.ts";
import type { PendingInputRequest } from "./run-end.ts";

/** Throws McpError -32021 for undeclared capabilities, and InteractionError for an invalid form. */
export async function toRawInputRequests(
  { inputRequests = {} }: InputRequired,
  declared: ClientCapabilities,
  digestOfText: (text: string) => Promise<string>,
): Promise<PendingInputRequest[]> {
  const entries = Object.entries(withParams(inputRequests)).map(([key, request]) => {
    checkNeeds(needsOf(request), declared);
    return { key, request: withRestrictedForm(request) };
  });
  return Promise.all(
    entries.map(async (entry) => ({
      ...entry,
      digest: await digestOfText(toCanonicalJson(entry.request)),
    })),
  );
}

function withRestrictedForm(request: InputRequest): InputRequest {
  if (request.method !== "elicitation/create" || request.params.mode === "url") return request;
  const requestedSchema = toElicitSchema(request.params.requestedSchema);
  return { ...request, params: { ...request.params, requestedSchema } };
}

/** The part of a request that reading its response needs: the method, and the schema of a form. */
export function toRawAsked({ key, digest, request }: PendingInputRequest): SentInputRequest {
  const { method } = request;
  if (method !== "elicitation/create") return { key, digest, raw: { method } };
  if (request.params.mode === "url") return { key, digest, raw: { method, mode: "url" } };
  return { key, digest, raw: { method, schema: request.params.requestedSchema } };
}

/**
 * The responses to `inputRequired`, by key. A malformed response, or one that does not fit its form, counts as not
 * given. Undefined when the previous round made no such request.
 */
export function readRawResponses(journal: Journal, responses: JsonObject | undefined): JsonObject | undefined {
  const asked = journal.asked.filter((sent) => sent.raw !== undefined);
  if (asked.length === 0) return journal.inputResponses;
  const answers: [string, unknown][] = [];
  for (const { key, raw } of asked) {
    const reading = readRaw(raw ?? {}, answerUnder(key, responses));
    if (reading.issue === undefined) answers.push([key, reading.kept]);
  }
  return Object.fromEntries(answers);
}

function readRaw({ method, mode, schema }: JsonObject, response: unknown): Reading<unknown> {
  if (method === "roots/list") return readRoots(response);
  if (method === "sampling/createMessage") return readSample(response);
  if (mode === "url" || !isJsonObject(schema)) return readUrlAnswer(response);
  return readForm(response, schema as unknown as ElicitSchema);
}
