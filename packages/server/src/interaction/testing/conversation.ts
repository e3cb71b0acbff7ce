// A client for tests: answers the input requests of a handler. Each round runs on another machine that shares only the keys.
import {
  type ClientCapabilities,
  type InputRequiredResult,
  isInputRequired,
  type JsonObject,
  type ModernRequest,
  metaKey,
  modelRevision,
  type Result,
} from "@lethe/protocol";
import { pause, systemClock } from "../../clock/clock.ts";
import type { Context } from "../../features/context.ts";
import type { InputRequired } from "../../features/input-required.ts";
import { createKeyRing } from "../../seal/key-ring.ts";
import { createSeal } from "../../seal/seal.ts";
import { createHandlerFingerprint } from "../handler-fingerprint.ts";
import { type InteractionHost, interactionOf, runWithInteraction } from "../run-with-interaction.ts";
import { createInteractionSettings, type InteractionOptions } from "../settings.ts";

export type AskingContext = Pick<
  Context,
  | "elicit"
  | "tryElicit"
  | "elicitUrl"
  | "tryElicitUrl"
  | "sample"
  | "roots"
  | "once"
  | "now"
  | "uuid"
  | "state"
  | "inputResponses"
>;

export type Handler = (ctx: AskingContext) => Promise<unknown> | unknown;

/** The parts of a call; a retry may change any of them. */
export interface Call {
  method?: string;
  name?: string;
  arguments?: JsonObject;
  callerId?: string;
  capabilities?: ClientCapabilities;
  version?: string;
  compatibleVersions?: readonly string[];
  inputSchema?: JsonObject;
  server?: string;
  settings?: Partial<InteractionOptions>;
  inputResponses?: JsonObject | null;
  requestState?: string;
  journalHome?: InteractionHost["journalHome"];
  params?: JsonObject;
}

const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

const keys = `k:${Buffer.alloc(32, 7).toString("base64url")}`;

/** Runs one round and returns the handler's result or its input requests. */
export async function callOnce(handler: Handler, call: Call = {}): Promise<unknown> {
  const host = createHost(call);
  return runWithInteraction(host, () => handler(toContext(host)) as unknown | InputRequired);
}

/** Runs one round that must end with input requests. */
export async function askOnce(handler: Handler, call: Call = {}): Promise<Required<InputRequiredResult>> {
  const result = (await callOnce(handler, call)) as Required<InputRequiredResult>;
  if (!isRound(result)) throw new Error(`input requests expected, got ${JSON.stringify(result)}`);
  return result;
}

/** `answer` returns the response to each input request, or undefined to leave it for a later round. */
export async function converse(
  handler: Handler,
  answer: (key: string, question: JsonObject, round: number) => unknown,
  call: Call = {},
): Promise<{ result: unknown; rounds: number }> {
  let result = await callOnce(handler, call);
  let rounds = 0;
  for (; isRound(result); rounds += 1) {
    const inputResponses: JsonObject = {};
    for (const [key, question] of Object.entries(result.inputRequests ?? {})) {
      const response = answer(key, question as unknown as JsonObject, rounds);
      if (response !== undefined) inputResponses[key] = response;
    }
    const requestState = result.requestState;
    result = await callOnce(handler, { ...call, inputResponses, ...(requestState && { requestState }) });
  }
  return { result, rounds };
}

export function accept(content: JsonObject): JsonObject {
  return { action: "accept", content };
}

function isRound(value: unknown): value is InputRequiredResult {
  return typeof value === "object" && value !== null && isInputRequired(value as Result);
}

export function createHost(call: Call): InteractionHost {
  const { server = "test", callerId, settings } = call;
  return {
    request: toRequest(call),
    caller: callerId === undefined ? undefined : { id: callerId },
    interactionSettings: createInteractionSettings({
      seal: createSeal(createKeyRing(keys), { server }),
      onWarning: () => {},
      ...settings,
    }),
    handlerMark: createHandlerFingerprint({
      inputSchema: call.inputSchema,
      version: call.version,
      compatibleVersions: call.compatibleVersions,
    }),
    journalHome: call.journalHome,
    pauseFor: (ms) => pause(systemClock, ms),
  };
}

function toRequest(call: Call): ModernRequest {
  const { method = "tools/call", name = "tool", inputResponses, requestState, capabilities = everything } = call;
  const target = method === "resources/read" ? { uri: name } : { name };
  return {
    id: 1,
    method,
    params: {
      ...target,
      ...call.params,
      ...(call.arguments && { arguments: call.arguments }),
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
      _meta: { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: capabilities },
    },
  };
}

/** As a request context does it: no interaction before the first use. */
function toContext(host: InteractionHost): AskingContext {
  return {
    get state() {
      return host.interaction?.state;
    },
    get inputResponses() {
      return host.interaction?.inputResponses;
    },
    elicit: (message, schema, options) => interactionOf(host).elicit(message, schema, options),
    tryElicit: (message, schema, options) => interactionOf(host).tryElicit(message, schema, options),
    elicitUrl: (message, url, options) => interactionOf(host).elicitUrl(message, url, options),
    tryElicitUrl: (message, url, options) => interactionOf(host).tryElicitUrl(message, url, options),
    sample: (params, options) => interactionOf(host).sample(params, options),
    roots: (options) => interactionOf(host).roots(options),
    once: (key, compute) => interactionOf(host).once(key, compute),
    now: () => interactionOf(host).now(),
    uuid: () => interactionOf(host).uuid(),
  };
}
