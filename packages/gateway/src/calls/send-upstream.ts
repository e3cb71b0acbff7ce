// Sends a request over a session, and turns failures into errors that the caller may see.
import type { Connection } from "@lethe/client";
import {
  clientCapabilitiesOf,
  type Dispatch,
  declaresTasks,
  type Exchange,
  isInputRequired,
  type JsonObject,
  type ModernRequest,
  metaKey,
  modernRevisions,
  type Result,
  taskAugmentationOf,
  unsupportedProtocolVersion,
  withTaskAugmentation,
} from "@lethe/protocol";
import { extensionFilterOf } from "../extensions/extension-filter.ts";
import { toCallerError } from "../upstreams/connection/upstream-error.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { traceOf } from "./call-trace.ts";
import { maskError, maskErrors } from "./caller-result.ts";
import type { Answers } from "./forward-input-requests.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import { LimitedExchange } from "./limited-exchange.ts";
import { recordedHeaders } from "./recorded-headers.ts";
import { withoutHandle } from "./session-argument.ts";
import { type Step, type StepRecorder, upstreamParty } from "./step-recorder.ts";
import { ConnectionExchange, mintProgressToken, UpstreamExchange } from "./upstream-exchange.ts";
import { toUpstreamRequest } from "./upstream-request.ts";

/** One round of a call. */
export interface CallRound {
  /** Params that the retry adds to the request. */
  readonly input?: JsonObject;
  /** Continues a pending call. Default: the Dispatch of the session's connection. */
  readonly dispatch?: Dispatch;
  /** The answers of the rounds before, for a call that may run again. */
  readonly answers?: Answers | undefined;
}

/** Shared by all first rounds. */
export const noRound: CallRound = {};

/** Rejects with McpError. */
export function transmit(call: ForwardedCall, session: Session, round: CallRound = noRound): Promise<Result> {
  const { input, dispatch } = round;
  const { target, request } = call;
  const { sessions } = target;
  const { connection } = session;
  if (target.revision !== undefined && connection?.era !== "modern") {
    return untilModern(session, target.revision).then(() => transmit(call, session, round));
  }
  const outgoing = toOutgoing(call, session, input);
  // A connection over a message wire mints progress tokens of its own.
  const isPlain = connection?.traits.hasHandshake || sessions.config.kind === "stdio";
  const { sent, heard } = isPlain
    ? { sent: outgoing, heard: wantsNotifications(request) ? toConnectionExchange(call) : call.exchange }
    : withOwnToken(outgoing, call);
  const steps = traceOf(request)?.steps;
  const heads = steps && recordSent(steps, call, { session, sent, isResumed: dispatch !== undefined });
  return sessions.run(session, sent, heard, dispatch).then(
    (result) => {
      if (heard instanceof LimitedExchange) heard.finish();
      if (steps) recordAnswered(steps, { upstream: sessions.name, heads }, result);
      return maskErrors(result, sessions.mask);
    },
    (error) => {
      if (heard instanceof LimitedExchange) heard.finish();
      const own = toCallerError(sessions.name, maskError(error, sessions.mask), clientCapabilitiesOf(request));
      steps?.add({ from: upstreamParty(sessions.name), to: steps.self, kind: "error", label: own.message, ...heads });
      throw own;
    },
  );
}

/** A message of a later revision cannot be converted for an older server. Rejects with McpError. */
async function untilModern({ connection, opened }: Session, revision: string): Promise<void> {
  const { era } = connection ?? (await opened);
  if (era !== "modern") throw unsupportedProtocolVersion(revision, modernRevisions);
}

interface Sent {
  readonly session: Session;
  readonly sent: ModernRequest;
  /** Whether the message answers the input requests of a call that waits at the upstream. */
  readonly isResumed: boolean;
}

/** What the head of the HTTP response says. Empty until it arrives, and for an upstream without HTTP. */
interface AnswerHead {
  headers: Step["headers"];
  status: Step["status"];
}

function recordSent(steps: StepRecorder, { target }: ForwardedCall, { session, sent, isResumed }: Sent): AnswerHead {
  const { sessions } = target;
  const { connection } = session;
  const { method: requested, params } = sent;
  const name = params.name ?? params.uri;
  const answers = params.inputResponses ?? {};
  const step: Step = {
    from: steps.self,
    to: upstreamParty(sessions.name),
    kind: isResumed ? "answer" : "request",
    label: isResumed ? "the answers to its input requests" : `${requested}${name === undefined ? "" : ` ${name}`}`,
    method: requested,
    // A session that is still opening has no connection.
    era: connection?.era ?? sessions.verdict?.era,
    revision: target.revision ?? connection?.revision,
    transport: sessions.verdict?.transport,
    session: session.id.slice(0, 8),
  };
  steps.add(step, isResumed ? answers : params);
  const answered: AnswerHead = { headers: undefined, status: undefined };
  if (sessions.config.kind !== "http") return answered;
  sent.onHttpHeads = ({ sent: headers, status, received }) => {
    step.headers = recordedHeaders((header) => headers[header]);
    answered.headers = recordedHeaders(received);
    answered.status = status;
  };
  return answered;
}

const noHead: AnswerHead = { headers: undefined, status: undefined };

function recordAnswered(
  steps: StepRecorder,
  { upstream, heads }: { upstream: string; heads: AnswerHead | undefined },
  result: Result,
): void {
  const { headers, status } = heads ?? noHead;
  const [from, to] = [upstreamParty(upstream), steps.self];
  if (!isInputRequired(result)) {
    const label = result.isError === true ? "tool_error" : result.resultType;
    steps.add({ from, to, kind: "response", label, headers, status }, result);
    return;
  }
  const asked = Object.values(result.inputRequests ?? {}).map(({ method: requested }) => requested);
  const label = asked.join(", ") || "input_required";
  steps.add({ from, to, kind: "input", label, headers, status }, result.inputRequests);
}

/** The caller asks for notifications of the core, or declares extensions, which may have some. */
function wantsNotifications(request: ModernRequest): boolean {
  const { _meta } = request.params;
  const { extensions } = clientCapabilitiesOf(request);
  return _meta.progressToken !== undefined || _meta[metaKey.logLevel] !== undefined || extensions !== undefined;
}

function toConnectionExchange({ exchange, request, target }: ForwardedCall): Exchange {
  return new ConnectionExchange(exchange, request, extensionFilterOf(target.sessions.config));
}

/** The request that the upstream receives. */
function toOutgoing(call: ForwardedCall, session: Session, input?: JsonObject): ModernRequest {
  const { target, request, task } = call;
  const { sessions, params, hasSessionArgument } = target;
  const wish = task ? undefined : taskAugmentationOf(request);
  const outgoing = toUpstreamRequest(request, {
    connection: session.connection,
    params: hasSessionArgument
      ? { arguments: withoutHandle(request.params.arguments), ...params, ...input }
      : { ...params, ...input },
    keepsClientInfo: sessions.config.clientInfo === "caller",
    extensions: extensionFilterOf(sessions.config),
    revision: target.revision,
    // A task of the gateway is a plain call to the upstream. A session that ends with its call cannot keep a task.
    mayMakeTask: !task && !session.key.isSingleUse && mayHaveTasks(session.connection ?? sessions.connection),
  });
  if (request.prefersSession) outgoing.prefersSession = true;
  if (request.isNotification) outgoing.isNotification = true;
  if (request.rootsVersion !== undefined) outgoing.rootsVersion = request.rootsVersion;
  return wish ? withTaskAugmentation(outgoing, wish) : outgoing;
}

/**
 * The gateway declares tasks to an upstream that it has not reached yet, because servers ignore unknown capabilities. An upstream
 * of 2025-11-25 may have tools that run only as tasks.
 */
function mayHaveTasks(connection: Connection | undefined): boolean {
  return connection === undefined || connection.traits.hasHandshake || declaresTasks(connection.server.capabilities);
}

function withOwnToken(
  outgoing: ModernRequest,
  { target, exchange, request }: ForwardedCall,
): { sent: ModernRequest; heard: Exchange } {
  const extensions = extensionFilterOf(target.sessions.config);
  if (request.params._meta.progressToken === undefined) {
    return { sent: outgoing, heard: new UpstreamExchange(exchange, request, undefined, extensions) };
  }
  const progressToken = mintProgressToken();
  const { params } = outgoing;
  const sent = { ...outgoing, params: { ...params, _meta: { ...params._meta, progressToken } } };
  return { sent, heard: new UpstreamExchange(exchange, request, progressToken, extensions) };
}
