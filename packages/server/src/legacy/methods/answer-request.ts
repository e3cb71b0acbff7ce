// The methods of a legacy session (D.5): those of its own era are answered here, all others by the modern core.
import {
  invalidParams,
  isJsonObject,
  isLogLevel,
  isMcpError,
  type JsonObject,
  type JsonRpcRequest,
  logLevels,
  type ModernRequest,
  methodNotFound,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import { isCoreTaskMethod, isModernOnlyMethod, isTaskRequired, legacyMethod } from "@lethe/protocol/revisions";
import type { RunningCall } from "../calls/running-call.ts";
import { pause, serveCall } from "../calls/serve-call.ts";
import type { LegacyContext } from "../legacy-context.ts";
import { discover } from "../sessions/discover.ts";
import type { LegacySession } from "../sessions/session.ts";
import { isAtHand, type SessionState } from "../sessions/session-store.ts";
import { answerTaskMethod, callAsTask, callRequiredTask, offersTasks } from "../tasks/task-methods.ts";
import type { TaskRequest } from "../tasks/task-request.ts";

/** ms; a core may take its time to listen. */
const maxBeginMs = 5_000;
/** URIs that one session may subscribe to. */
const maxSubscriptions = 1_000;

/** The text of the response. */
export async function answerRequest(
  request: JsonRpcRequest,
  run: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<string> {
  const { method, params = {}, id } = request;
  switch (method) {
    case legacyMethod.ping:
      break;
    case legacyMethod.setLevel:
      await requireCapability("logging", method, run, session, context);
      await setLevel(params.level, session, context);
      break;
    case legacyMethod.subscribe:
    case legacyMethod.unsubscribe:
      await requireCapability("resources", method, run, session, context);
      await subscribe(params.uri, method === legacyMethod.subscribe, session, context);
      await untilHeard(run, session);
      break;
    default: {
      if (isOfCoreTasks(request, session)) {
        const core = await answerAsCoreTask({ request, run, session, context });
        if (core) return toText(id, JSON.stringify(core));
      }
      if (isModernOnlyMethod(method)) throw methodNotFound(method);
      const state = session.facts.isStateless ? undefined : context.settings.store.get(session.facts.id);
      const modern = toModernRequest(request, session, isAtHand(state) ? state : await state, context);
      let result: Result;
      try {
        result = await serveCall(modern, run, session, context);
      } catch (error) {
        if (!isMcpError(error) || !isTaskRequired(error)) throw error;
        return toText(id, JSON.stringify(await callRequiredTask({ request, run, session, context })));
      }
      return toText(id, context.writeResult(session.facts.revision, method, result));
    }
  }
  return toText(id, "{}");
}

/** D-38: a method of core tasks, or a call that wants to be one. */
function isOfCoreTasks({ method, params }: JsonRpcRequest, { facts }: LegacySession): boolean {
  return (
    facts.revision.traits.hasTaskAugmentation &&
    (isCoreTaskMethod(method) || (method === "tools/call" && isJsonObject(params?.task)))
  );
}

/** Undefined where the core has no tasks. */
async function answerAsCoreTask(turn: TaskRequest): Promise<JsonObject | undefined> {
  const { task } = turn.request.params ?? {};
  if (!(await offersTasks(turn))) return undefined;
  return isCoreTaskMethod(turn.request.method) ? answerTaskMethod(turn) : callAsTask(turn, task as JsonObject);
}

function toModernRequest(
  { id, method, params }: JsonRpcRequest,
  { facts }: LegacySession,
  state: SessionState | undefined,
  { settings }: LegacyContext,
): ModernRequest {
  const { capabilities, clientInfo, isStateless } = facts;
  const logLevel = isStateless ? undefined : (state?.logLevel ?? settings.logLevel);
  return {
    id,
    method,
    params: facts.revision.fromClientParams(method, params, { capabilities, clientInfo, logLevel }),
  };
}

/** E-4, also for an older client: what is not offered is not served. */
async function requireCapability(
  name: "logging" | "resources",
  method: string,
  run: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<void> {
  const { capabilities } = await discover(session.facts, run, context);
  const isOffered =
    name === "logging" ? capabilities.logging !== undefined : capabilities.resources?.subscribe === true;
  if (!isOffered) throw methodNotFound(method);
}

async function setLevel(logLevel: unknown, session: LegacySession, { settings }: LegacyContext): Promise<void> {
  if (!isLogLevel(logLevel)) throw invalidParams(`invalid params: "level" must be one of ${logLevels.join(", ")}`);
  await settings.store.update(session.facts.id, (state) => ({ ...state, logLevel }));
}

async function subscribe(
  uri: unknown,
  isWanted: boolean,
  session: LegacySession,
  { settings }: LegacyContext,
): Promise<void> {
  if (typeof uri !== "string") throw invalidParams('invalid params: "uri" must be a string');
  await settings.store.update(session.facts.id, (state) => {
    const others = (state.subscriptions ?? []).filter((known) => known !== uri);
    if (isWanted && others.length >= maxSubscriptions) {
      throw invalidParams(`invalid params: at most ${maxSubscriptions} subscriptions in one session`);
    }
    return { ...state, subscriptions: isWanted ? [...others, uri] : others };
  });
}

/** What was subscribed to is told from the answer on, unless that would take too long. */
async function untilHeard(run: RunningCall, { standing }: LegacySession): Promise<void> {
  if (!standing?.whenBegun) return;
  const begun = new Promise<void>((resolve) => standing.whenBegun?.(resolve));
  await Promise.race([begun, pause(maxBeginMs, run)]);
}

function toText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}
