// Streamable HTTP of 2025-03-26 to 2025-11-25 (D-33 to D-37): POST, GET and DELETE of one endpoint.
import { isJsonObject, type JsonRpcRequest, parseMessage, protocolVersionHeader } from "@lethe/protocol";
import { isLegacyRevision, legacyMethod, legacyNotification, revisionNamed } from "@lethe/protocol/revisions";
import { requestIdOf } from "../../http/admit.ts";
import {
  acceptedAnswer,
  type HttpAnswer,
  isInternal,
  toErrorAnswer,
  toJsonAnswer,
  toRefusal,
} from "../../http/answers.ts";
import { acceptsEventStream } from "../../http/media-type.ts";
import type { LegacyHttpCall } from "../../http/servable.ts";
import { type PassedNotifications, passNotifications } from "../methods/pass-notification.ts";
import { runRequest } from "../methods/run-request.ts";
import { noteRootsChange } from "../methods/session-settings.ts";
import { performHandshake } from "../sessions/handshake.ts";
import { LegacySession } from "../sessions/session.ts";
import type { SessionCache } from "../sessions/session-cache.ts";
import { randomId } from "../sessions/session-facts.ts";
import type { SessionTokens } from "../sessions/session-token.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import { parseBatch } from "./batch.ts";
import { sessionHeader } from "./detect-legacy.ts";
import { parseEventId } from "./event-id.ts";
import { GetStream, isGetStream } from "./get-stream.ts";
import { PostResponse } from "./post-response.ts";
import { ResumedStream } from "./resumed-stream.ts";

export interface StreamableHttp {
  /** Each method throws or rejects with the error that the caller has to answer. */
  post(call: LegacyHttpCall): Promise<void> | void;
  get(call: LegacyHttpCall): Promise<void>;
  delete(call: LegacyHttpCall): Promise<void>;
}

const deleted: HttpAnswer = { status: 204, headers: {}, body: "" };
const sessionMissing = toRefusal(400, "the header Mcp-Session-Id is missing: send initialize first");
const sessionUnknown = toRefusal(404, "no such session: send initialize to start a new one");
const busy = toRefusal(503, "too many sessions are in use", { "Retry-After": "5" });
const tooManyStreams = toRefusal(429, "this session has too many streams", { "Retry-After": "5" });
export const postOnly: HttpAnswer = toRefusal(405, "method not allowed: use POST", { Allow: "POST" });
/** D.6: the revision of a client that does not send the header. */
const assumedRevision = "2025-03-26";

export function createStreamableHttp(
  context: LegacyContext,
  tokens: SessionTokens,
  sessions: SessionCache,
): StreamableHttp {
  const { settings } = context;

  /** Returns undefined, after answering, if the request has no valid session. */
  function sessionOf(call: LegacyHttpCall): LegacySession | undefined | Promise<LegacySession | undefined> {
    if (!settings.hasSessions) return createStateless(call, context);
    const token = call.headers(sessionHeader);
    if (token === undefined) {
      call.answer(sessionMissing);
      return undefined;
    }
    const found = sessions.find(token, call.caller?.id);
    return found instanceof Promise ? found.then((it) => orRefused(it, call)) : orRefused(found, call);
  }

  async function initialize(request: JsonRpcRequest, call: LegacyHttpCall): Promise<void> {
    const { facts, result } = await performHandshake(request, call, context, !settings.hasSessions);
    const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, result });
    if (facts.isStateless) call.answer(toJsonAnswer(200, text));
    else call.answer(toJsonAnswer(200, text, { "Mcp-Session-Id": await tokens.mint(facts, call.caller?.id) }));
  }

  function receiveMessage(value: unknown, session: LegacySession, call: LegacyHttpCall): void {
    const { requests, clientMessages, refusals, isArray } = parseBatch(
      value,
      session.facts.revision,
      settings.maxBatch,
    );
    const { others, passed } = passNotifications(clientMessages, session, call, context);
    // Responses to input requests arrive here, and cancellations. The call may run in another process.
    for (const message of others) {
      if ("method" in message && message.method === legacyNotification.rootsChanged) noteRootsChange(session, context);
      else settings.clientMessages.deliver(session.facts.id, message);
    }
    const [first] = requests;
    if (first === undefined && refusals.length === 0) {
      accept(call, passed);
      return;
    }
    const postResponse = new PostResponse(call, {
      facts: session.facts,
      settings,
      requestId: isArray ? undefined : first?.id,
      expected: requests.length + refusals.length,
    });
    for (const text of refusals) postResponse.respond({ text });
    const target = { session, sink: postResponse, peer: call, context };
    for (const request of requests) {
      runRequest(request, target, (response) => postResponse.respond(response));
    }
  }

  function postIn(session: LegacySession | undefined, call: LegacyHttpCall): void {
    if (!session) return;
    try {
      receiveMessage(call.message, session, call);
    } catch (error) {
      call.answer(toErrorAnswer(error, requestIdOf(call.message), { status: 400 }));
    }
  }

  async function beginSession(call: LegacyHttpCall): Promise<void> {
    const { message, servable } = call;
    try {
      await initialize(parseMessage(message) as JsonRpcRequest, call);
    } catch (error) {
      if (isInternal(error)) settings.onError(error);
      const { authenticator } = servable ?? {};
      call.answer(toErrorAnswer(error, requestIdOf(message), { status: 200, authenticator }));
    }
  }

  return {
    post(call) {
      if (isInitialize(call.message)) return beginSession(call);
      const session = sessionOf(call);
      return session instanceof Promise ? session.then((it) => postIn(it, call)) : postIn(session, call);
    },

    async get(call) {
      if (!settings.hasSessions) return call.answer(postOnly);
      if (!acceptsEventStream(call.headers("accept"))) return call.answer(toRefusal(406, "Accept: text/event-stream"));
      const session = await sessionOf(call);
      if (!session) return;
      if (session.streamCount >= settings.maxStreamsPerSession) return call.answer(tooManyStreams);
      const position = parseEventId(call.headers("last-event-id") ?? "");
      if (position && !isGetStream(position)) return new ResumedStream(position, call, session, settings).begin();
      const state = await settings.store.get(session.facts.id);
      if (call.beginStream(true)) await new GetStream(call, session, context).begin(state, position);
    },

    async delete(call) {
      if (!settings.hasSessions) return call.answer(postOnly);
      const session = await sessionOf(call);
      if (!session) return;
      await settings.store.update(session.facts.id, (state) => ({ ...state, isTerminated: true }));
      call.answer(deleted);
    },
  };
}

/** The request keeps its slot until its notifications are passed on. */
function accept(call: LegacyHttpCall, passed: PassedNotifications["passed"]): void {
  if (passed) void passed.over.then(() => call.answer(acceptedAnswer));
  else call.answer(acceptedAnswer);
}

function isInitialize(message: unknown): boolean {
  return isJsonObject(message) && message.method === legacyMethod.initialize && "id" in message;
}

/** With `sessions: "none"`, each request is independent, and the client has no capabilities. */
function createStateless(call: LegacyHttpCall, context: LegacyContext): LegacySession {
  const named = call.headers(protocolVersionHeader);
  const revision = revisionNamed(isLegacyRevision(named) ? named : assumedRevision);
  const facts = { id: randomId(), revision, capabilities: {}, clientInfo: undefined, isStateless: true };
  return new LegacySession(facts, context);
}

/** Returns the session, or answers that it is unknown or that too many are in use. */
function orRefused(found: LegacySession | "busy" | undefined, call: LegacyHttpCall): LegacySession | undefined {
  if (found !== undefined && found !== "busy") return found;
  call.answer(found === undefined ? sessionUnknown : busy);
  return undefined;
}
