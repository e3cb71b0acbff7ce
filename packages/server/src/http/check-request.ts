// The checks of an HTTP request, in the order of B-35: Host and Origin, free slots, caller, headers, body, message. A check that
// fails answers the request. A request that passes them all reaches its Dispatch.
import {
  type Caller,
  dispatchRequest,
  errorCode,
  type JsonRpcNotification,
  McpError,
  type ModernRequest,
  method,
  protocolVersionHeader,
  type Result,
} from "@lethe/protocol";
import { type Admission, admit, admitMessage, requestIdOf } from "./admit.ts";
import { acceptedAnswer, failedAnswer, notFoundAnswer, toErrorAnswer, toRefusal } from "./answers.ts";
import { answerCallback, type RequestedCallback, refuseCallbackVerb } from "./callback-edge.ts";
import { toCorsHeaders } from "./cors.ts";
import type { Guard } from "./guards.ts";
import type { HttpCall } from "./http-call.ts";
import { acceptsEventStream } from "./media-type.ts";
import { isMetadataPath, toMetadataAnswer } from "./metadata.ts";
import { toNotificationRequest } from "./notification-request.ts";
import { refuseBody, refuseVerb, toOptionsAnswer } from "./refusals.ts";
import { holdNames, holdParsed } from "./request-memory.ts";
import type { BodyAnswer, Route, RouteAnswer } from "./route.ts";
import { toRouteStream } from "./route-stream.ts";
import type { Servable } from "./servable.ts";

/** Only larger bodies are checked for the memory that they take once parsed, in characters. */
const largeBody = 64 * 1024;

/** Starts the checks. `guard` is the one for the kind of connection. */
export function checkRequest(call: HttpCall, guard: Guard): void {
  try {
    const answer = answerBeforeCaller(call, guard);
    if (answer === undefined) checkCapacity(call);
    else if (answer instanceof Promise) void answer.then((later) => sendRouteAnswer(call, later));
    else sendRouteAnswer(call, answer);
  } catch (error) {
    // Lookups and authenticators are code of the user.
    call.edge.settings.onError(error);
    call.answer(failedAnswer);
  }
}

/** Answers what needs no caller: metadata, routes, refused origins, unknown paths, OPTIONS. Undefined for an MCP request. */
function answerBeforeCaller(call: HttpCall, guard: Guard): RouteAnswer | Promise<RouteAnswer> | undefined {
  const { io, edge } = call;
  const { lookup, settings } = edge;
  const path = pathOf(io.url);
  if (isMetadataPath(path)) {
    const answer = toMetadataAnswer(lookup, { verb: io.verb, path, defaultPath: settings.path ?? "/" });
    if (answer) return answer;
  }
  if (edge.callbacks) {
    call.callback = edge.callbacks(path);
    // Its token is proof enough: a request of a foreign page could not have it.
    if (call.callback) return undefined;
  }
  const servable = lookup(path);
  const route = servable ? undefined : settings.routes?.(path);
  if (route?.isPublic) return answerRoute(call, route, guard);
  const origin = io.header("origin");
  const refusal = guard(io.header("host"), origin);
  if (refusal !== undefined) {
    settings.onRefused?.(refusal, call);
    return toRefusal(403, refusal);
  }
  if (origin !== undefined && settings.cors) call.addedHeaders = toCorsHeaders(origin);
  if (route) return answerRoute(call, route, guard);
  if (!servable) return notFoundAnswer;
  if (io.verb === "OPTIONS") return toOptionsAnswer(servable, call.headers, call.addedHeaders !== undefined);
  call.servable = servable;
  return undefined;
}

async function answerRoute({ edge, io, headers }: HttpCall, route: Route, guard: Guard): Promise<RouteAnswer> {
  const { verb, url, remoteAddress } = io;
  try {
    return await route.respond({ verb, url, headers, remoteAddress, isLoopback: guard === edge.loopbackGuard });
  } catch (error) {
    edge.settings.onError(error);
    return failedAnswer;
  }
}

function sendRouteAnswer(call: HttpCall, answer: RouteAnswer): void {
  if ("receive" in answer) {
    call.awaited = answer;
    checkCapacity(call);
    return;
  }
  if (!("stream" in answer)) {
    call.answer(answer);
    return;
  }
  call.isOpenEnded = true;
  if (call.beginStream(true)) answer.stream(toRouteStream(call));
}

/** Until the caller is known, and permanently without authentication, a request counts for its client address. */
function checkCapacity(call: HttpCall): void {
  const { settings, addresses, receiving } = call.edge;
  if (settings.memory.isTight) {
    call.answer(toErrorAnswer(settings.memory.refuse(), undefined));
    return;
  }
  const address = call.io.clientAddress;
  if (call.usage.countFor(address === undefined ? undefined : addresses.find(address), receiving)) checkCaller(call);
}

function checkCaller(call: HttpCall): void {
  if (call.callback) {
    checkCallbackHead(call);
    return;
  }
  if (call.awaited) {
    const refusal = refuseBody(call.headers, call.edge.settings);
    if (refusal) call.answer(refusal);
    else readBody(call);
    return;
  }
  const { authenticator } = servableOf(call);
  if (!authenticator) {
    checkHead(call);
    return;
  }
  call.io.touch();
  call.io.awaitCaller();
  authenticator.authenticate(call.io.header("authorization"), call).then(
    (caller) => admitCaller(call, caller),
    (error: unknown) => call.fail(error),
  );
}

function checkCallbackHead(call: HttpCall): void {
  const { io, edge } = call;
  const refusal = refuseCallbackVerb(io.verb) ?? refuseBody(call.headers, edge.settings);
  if (refusal) call.answer(refusal);
  else readBody(call);
}

function admitCaller(call: HttpCall, caller: Caller): void {
  const { callers, receiving } = call.edge;
  call.caller = caller;
  if (!call.isEnded && call.usage.countFor(callers.find(caller.id), receiving)) checkHead(call);
}

function checkHead(call: HttpCall): void {
  const { io, edge } = call;
  addAnswerHeaders(call);
  const isPost = io.verb === "POST";
  const refusal =
    refuseVerb(io.verb, servableOf(call)) ?? (isPost ? refuseBody(call.headers, edge.settings) : undefined);
  if (refusal) call.answer(refusal);
  else if (isPost) readBody(call);
  else passToLegacy(call, undefined);
}

/** A header that cannot be made must not fail the request. */
function addAnswerHeaders(call: HttpCall): void {
  const { answerHeaders } = servableOf(call);
  if (!answerHeaders) return;
  try {
    const added = answerHeaders(call.headers, call.caller);
    if (added) call.addedHeaders = call.addedHeaders ? { ...call.addedHeaders, ...added } : added;
  } catch (error) {
    call.edge.settings.onError(error);
  }
}

/** The one place where a body starts to be read: from here on it costs memory. */
function readBody({ io, edge, usage }: HttpCall): void {
  edge.bodies.add(usage);
  io.readBody();
}

/** Continues with the text of the body. */
export function receiveBody(call: HttpCall, text: string): void {
  if (call.callback) receiveCallback(call, call.callback, text);
  else if (call.awaited) receiveRouteBody(call, call.awaited, text);
  else if (text.length < largeBody || holdParsed(call, text)) enter(call, admit(text, call, servableOf(call)));
}

/** Continues with a body that a framework has parsed. */
export function receiveParsedBody(call: HttpCall, message: unknown): void {
  if (call.callback) receiveCallback(call, call.callback, JSON.stringify(message));
  else if (call.awaited) receiveRouteBody(call, call.awaited, JSON.stringify(message));
  else enter(call, admitMessage(message, call, servableOf(call)));
}

function receiveCallback(call: HttpCall, callback: RequestedCallback, text: string): void {
  if (!call.usage.takeSlot(call.edge.requests)) return;
  call.io.touch();
  answerCallback(callback, text).then(
    (answer) => call.answer(answer),
    (error: unknown) => call.fail(error),
  );
}

function receiveRouteBody(call: HttpCall, awaited: BodyAnswer, text: string): void {
  if (!call.usage.takeSlot(call.edge.requests)) return;
  call.io.touch();
  awaited.receive(text).then(
    (answer) => call.answer(answer),
    (error: unknown) => {
      call.edge.settings.onError(error);
      call.answer(failedAnswer);
    },
  );
}

function enter(call: HttpCall, admission: Admission): void {
  if (admission.kind === "request") runRequest(call, admission.request);
  else if (admission.kind === "refused") call.answer(admission.answer);
  else if (admission.kind === "notification") receiveNotification(call, admission.notification);
  else passToLegacy(call, admission.message);
}

/** Accepts every notification: a sender cannot correct one that the server rejects. A notification that is passed on takes a slot until then. */
function receiveNotification(call: HttpCall, notification: JsonRpcNotification): void {
  const servable = servableOf(call);
  const request = toNotificationRequest(notification, servable, call.io.header(protocolVersionHeader));
  if (!request) {
    call.answer(acceptedAnswer);
    return;
  }
  if (!call.usage.takeSlot(call.edge.requests)) return;
  call.io.touch();
  const accept = () => call.answer(acceptedAnswer);
  dispatch(call, request).then(accept, accept);
}

function runRequest(call: HttpCall, request: ModernRequest): void {
  call.id = request.id;
  call.isOpenEnded = request.method === method.listen;
  if (!(call.isOpenEnded ? takeStreamSlot(call) : call.usage.takeSlot(call.edge.requests))) return;
  if (call.isOpenEnded && !holdNames(call, request)) return;
  call.io.touch();
  call.isAdmitted = true;
  conclude(call, dispatch(call, request));
}

/** A subscription needs a stream. */
function takeStreamSlot(call: HttpCall): boolean {
  if (acceptsEventStream(call.io.header("accept"))) return call.usage.takeSlot(call.edge.streams);
  const error = new McpError(errorCode.invalidRequest, `${method.listen} needs Accept: text/event-stream`);
  call.answer(toErrorAnswer(error, call.id, { status: 406 }));
  return false;
}

function dispatch(call: HttpCall, request: ModernRequest): Promise<Result> {
  try {
    return dispatchRequest(servableOf(call), request, call);
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * Separate from `dispatch`, so that nothing here holds the request while it runs: a stream may run for days. Not async, which would take
 * twice the memory.
 */
function conclude(call: HttpCall, running: Promise<Result>): void {
  running.then(
    (result) => call.finish(result),
    (error: unknown) => call.fail(error),
  );
}

/** From here on the legacy edge keeps the time: a legacy call outlives its connection. */
function passToLegacy(call: HttpCall, message: unknown): void {
  call.message = message;
  call.id = requestIdOf(message);
  if (!call.usage.takeSlot(call.edge.requests)) return;
  call.isOpenEnded = true;
  call.isAdmitted = true;
  call.onAbort(() => call.settle());
  servableOf(call).legacy?.receiveCall(call);
}

/** Set once `answerBeforeCaller` has found one. */
function servableOf({ servable }: HttpCall): Servable {
  return servable as Servable;
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
