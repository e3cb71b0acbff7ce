// The input requests of a handler (elicitation, URL elicitation, sampling, roots; E.11, E.12), each with a reader for its response (J-76, E-29).
import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitSchema,
  type InputRequest,
  isCreateMessageResult,
  isElicitResult,
  isListRootsResult,
  isStandardSchema,
  type JsonObject,
  nameOf,
  type Root,
} from "@lethe/protocol";
import type { Answer, ElicitInput } from "../features/answer.ts";
import type { ElicitAnswer } from "../features/context.ts";
import { readFormContent } from "./form-content.ts";
import { toElicitSchema } from "./form-schema.ts";
import { InteractionError } from "./interaction-error.ts";

export interface TypedInputRequest<T> {
  readonly request: InputRequest;
  read(response: unknown): Reading<T> | Promise<Reading<T>>;
}

/** `kept` is stored in the journal; reading it again yields the same value. */
export type Reading<T> =
  | { readonly value: T; readonly kept: unknown; readonly issue?: undefined }
  | { readonly issue: string };

export type UrlAnswer = { readonly action: "accept" | "decline" | "cancel" };

/** Throws an InteractionError if the schema is not valid for a form. */
export function formRequest<S extends ElicitInput>(message: string, schema: S): TypedInputRequest<ElicitAnswer<S>> {
  if (typeof message !== "string") {
    const expected = "a message expected as the first argument and a schema as the second";
    throw new InteractionError(`elicitation form: ${expected}, got ${nameOf(message)}`);
  }
  const requestedSchema = toElicitSchema(schema);
  return {
    request: { method: "elicitation/create", params: { message, requestedSchema } },
    async read(response) {
      const reading = readForm(response, requestedSchema);
      if (!("kept" in reading) || reading.value.action !== "accept" || !isStandardSchema(schema)) {
        return reading as Reading<ElicitAnswer<S>>;
      }
      const result = await schema["~standard"].validate(reading.value.content);
      if (result.issues) return { issue: result.issues.map((issue) => issue.message).join("; ") };
      return { value: { action: "accept", content: result.value as Answer<S> }, kept: reading.kept };
    },
  };
}

/** Reads the response to a form elicitation by its restricted schema alone. */
export function readForm(response: unknown, schema: ElicitSchema): Reading<ElicitAnswer<ElicitSchema>> {
  if (!isElicitResult(response)) return { issue: "an elicitation result expected" };
  if (response.action !== "accept") return { value: { action: response.action }, kept: { action: response.action } };
  const reading = readFormContent((response.content ?? {}) as JsonObject, schema);
  if (reading.issues) {
    return { issue: reading.issues.map(({ field, message }) => `"${field}" ${message}`).join("; ") };
  }
  const accepted = { action: "accept" as const, content: reading.content };
  return { value: accepted, kept: accepted };
}

/** Throws an InteractionError unless the URL is https, or http on this machine. */
export function urlRequest(message: string, url: string): TypedInputRequest<UrlAnswer> {
  if (!isOpenable(url)) throw new InteractionError("elicitation by URL: an https URL expected");
  return { request: { method: "elicitation/create", params: { mode: "url", message, url } }, read: readUrlAnswer };
}

export function readUrlAnswer(response: unknown): Reading<UrlAnswer> {
  if (!isElicitResult(response)) return { issue: "an elicitation result expected" };
  const answer = { action: response.action };
  return { value: answer, kept: answer };
}

function isOpenable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

export function samplingRequest(params: CreateMessageParams): TypedInputRequest<CreateMessageResult> {
  return { request: { method: "sampling/createMessage", params }, read: readSample };
}

export function readSample(response: unknown): Reading<CreateMessageResult> {
  if (!isCreateMessageResult(response)) return { issue: "a sampling result expected" };
  return { value: response, kept: response };
}

/** Reads the response to any request, without the author's own schema. */
export function readAnswer(request: InputRequest, response: unknown): Reading<unknown> {
  if (request.method === "roots/list") return readRoots(response);
  if (request.method === "sampling/createMessage") return readSample(response);
  return request.params.mode === "url" ? readUrlAnswer(response) : readForm(response, request.params.requestedSchema);
}

export function rootsRequest(): TypedInputRequest<Root[]> {
  return { request: { method: "roots/list", params: {} }, read: readRoots };
}

export function readRoots(response: unknown): Reading<Root[]> {
  if (!isListRootsResult(response)) return { issue: "a list of roots expected" };
  return { value: response.roots, kept: { roots: response.roots } };
}

/** Adds the reason why the form is shown again. */
export function withIssue(request: InputRequest, issue: string | undefined): InputRequest {
  if (issue === undefined || request.method !== "elicitation/create" || request.params.mode === "url") return request;
  const message = `${request.params.message}\n\nThe last answer was not accepted: ${issue.slice(0, 300)}`;
  return { ...request, params: { ...request.params, message } };
}
