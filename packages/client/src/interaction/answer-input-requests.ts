// Answers the input requests of one round (elicitation, sampling, roots) with the handlers of the client.
import {
  type ElicitFormParams,
  type ElicitRequest,
  type ElicitUrlParams,
  type InputRequest,
  type InputRequests,
  type InputResponse,
  type InputResponses,
  isCreateMessageResult,
  isElicitResult,
  isJsonObject,
  nameOf,
} from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";
import { checkContent } from "./check-content.ts";
import { checkSampling } from "./check-sampling.ts";
import { fillDefaults } from "./fill-defaults.ts";
import type { Handlers, InputRequestContext } from "./handlers.ts";

/** More input requests than this in one round would harass the user. */
const maxInputRequests = 32;

/**
 * Returns the answers to all input requests of a round. Elicitations reach the user one after the other, all others at once.
 * Rethrows errors of handlers. Throws TransportError for a malformed input request, and for one without a declared capability.
 */
export async function answerInputRequests(
  inputRequests: InputRequests,
  handlers: Handlers,
  context: Omit<InputRequestContext, "key">,
): Promise<InputResponses> {
  const entries = Object.entries(inputRequests);
  if (entries.length > maxInputRequests) {
    throw invalid(context, `at most ${maxInputRequests} input requests in a round`, `${entries.length}`);
  }
  let lastForUser: Promise<unknown> = Promise.resolve();
  const answers = entries.map(([key, request]) => {
    const own: InputRequestContext = { ...context, key };
    if (request?.method !== "elicitation/create") return answer(request, handlers, own);
    const next = lastForUser.then(() => elicit(request, handlers, own));
    lastForUser = next;
    return next;
  });
  const given = await Promise.all(answers);
  return Object.fromEntries(entries.map(([key], index) => [key, given[index] as InputResponse]));
}

async function answer(request: InputRequest, handlers: Handlers, context: InputRequestContext): Promise<InputResponse> {
  switch (request?.method) {
    case "sampling/createMessage": {
      if (!handlers.sample) throw unoffered(context, request.method);
      const problem = checkSampling(request.params);
      if (problem !== undefined) throw invalid(context, "a valid sampling request", problem);
      const message = await handlers.sample(request.params, context);
      if (!isCreateMessageResult(message)) throw wrongAnswer("sample", "a CreateMessageResult", message);
      return message;
    }
    case "roots/list": {
      const { roots } = handlers;
      if (!roots) throw unoffered(context, request.method);
      return { roots: [...(typeof roots === "function" ? await roots(context) : roots)] };
    }
    default: {
      const { method } = (request ?? {}) as { method?: unknown };
      throw unoffered(context, typeof method === "string" ? method.slice(0, 80) : nameOf(method));
    }
  }
}

async function elicit(
  { params }: ElicitRequest,
  handlers: Handlers,
  context: InputRequestContext,
): Promise<InputResponse> {
  if (!isJsonObject(params)) throw invalid(context, "an elicitation with params", nameOf(params));
  const result = params.mode === "url" ? elicitUrl(params, handlers, context) : elicitForm(params, handlers, context);
  return await result;
}

async function elicitForm(params: ElicitFormParams, handlers: Handlers, context: InputRequestContext) {
  if (!handlers.elicit) throw unoffered(context, "elicitation/create by form");
  const { requestedSchema } = params;
  if (!isJsonObject(requestedSchema?.properties)) throw invalid(context, "a requestedSchema with properties", "none");
  const result = await handlers.elicit(params, context);
  if (!isElicitResult(result)) throw wrongAnswer("elicit", "an ElicitResult", result);
  if (result.action !== "accept") return { action: result.action };
  const content = fillDefaults(requestedSchema, result.content ?? {});
  const problem = checkContent(requestedSchema, content);
  if (problem !== undefined)
    throw new TypeError(`the content from the elicit handler does not fit the requested schema: ${problem}`);
  return { action: result.action, content };
}

async function elicitUrl(params: ElicitUrlParams, handlers: Handlers, context: InputRequestContext) {
  if (!handlers.elicitUrl) throw unoffered(context, "elicitation/create by URL");
  if (!isSafeAddress(params.url)) throw invalid(context, "an https URL to open", JSON.stringify(params.url));
  const result = await handlers.elicitUrl(params, context);
  if (!isElicitResult(result)) throw wrongAnswer("elicitUrl", "an ElicitResult", result);
  return { action: result.action };
}

/** E-91: https, or http to this machine. */
function isSafeAddress(address: unknown): boolean {
  if (typeof address !== "string" || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** E-23 */
function unoffered(context: InputRequestContext, request: string): TransportError {
  return invalid(context, "only input requests that this client declared", request);
}

function invalid({ method, server }: Omit<InputRequestContext, "key">, due: string, came: string): TransportError {
  return new TransportError("invalid", `${method} to ${server}: expected ${due}, got ${came}`);
}

function wrongAnswer(handler: string, due: string, came: unknown): TypeError {
  return new TypeError(`the ${handler} handler must return ${due}, got ${nameOf(came)}`);
}
