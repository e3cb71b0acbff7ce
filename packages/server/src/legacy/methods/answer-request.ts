// The methods of a legacy session (D.5). Methods of older revisions are answered here, all others by the core.
import {
  isJsonObject,
  isMcpError,
  type JsonRpcRequest,
  type ModernRequest,
  method,
  methodNotFound,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import { isCoreTaskMethod, isModernOnlyMethod, isTaskRequired, legacyMethod } from "@lethe/protocol/revisions";
import type { RunningCall } from "../calls/running-call.ts";
import { serveCall } from "../calls/serve-call.ts";
import type { LegacySession } from "../sessions/session.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import { isAvailable, type SessionState } from "../shared/session-store.ts";
import { callAsTask, callRequiredTask, offersTasks } from "../tasks/call-as-task.ts";
import { answerTaskMethod } from "../tasks/task-methods.ts";
import { awaitConfirmation, requireCapability, setLevel, subscribe } from "./session-settings.ts";

/** Resolves with the text of the response. Rejects with McpError, or with an error that no client may see. */
export function answerRequest(
  request: JsonRpcRequest,
  call: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<string> {
  if (isSessionMethod(request.method)) return answerSessionMethod(request, call, session, context);
  if (hasTaskSemantics(request, session)) return answerTaskRequest(request, call, session, context);
  return callCore(request, call, session, context);
}

function isSessionMethod(name: string): boolean {
  return (
    name === legacyMethod.ping ||
    name === legacyMethod.setLevel ||
    name === legacyMethod.subscribe ||
    name === legacyMethod.unsubscribe
  );
}

async function answerSessionMethod(
  { id, method: name, params = {} }: JsonRpcRequest,
  call: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<string> {
  if (name === legacyMethod.setLevel) {
    await requireCapability("logging", name, call, session, context);
    await setLevel(params.level, session, context);
  } else if (name !== legacyMethod.ping) {
    await requireCapability("resources", name, call, session, context);
    await subscribe(params.uri, name === legacyMethod.subscribe, session, context);
    await awaitConfirmation(call, session);
  }
  return toText(id, "{}");
}

/** D-38: a task method, or a call with task augmentation. */
function hasTaskSemantics({ method: name, params }: JsonRpcRequest, { facts }: LegacySession): boolean {
  return (
    facts.revision.traits.hasTaskAugmentation &&
    (isCoreTaskMethod(name) || (name === method.callTool && isJsonObject(params?.task)))
  );
}

async function answerTaskRequest(
  request: JsonRpcRequest,
  call: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<string> {
  const taskRequest = { request, call, session, context };
  if (!(await offersTasks(taskRequest))) return callCore(request, call, session, context);
  const answering = isCoreTaskMethod(request.method) ? answerTaskMethod(taskRequest) : callAsTask(taskRequest);
  return toText(request.id, JSON.stringify(await answering));
}

async function callCore(
  request: JsonRpcRequest,
  call: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<string> {
  const { id, method: name } = request;
  if (isModernOnlyMethod(name)) throw methodNotFound(name);
  const { facts } = session;
  const state = facts.isStateless ? undefined : context.settings.store.get(facts.id);
  const modern = toModernRequest(request, session, isAvailable(state) ? state : await state, context);
  let result: Result;
  try {
    result = await serveCall(modern, call, session, context);
  } catch (error) {
    if (!isMcpError(error) || !isTaskRequired(error)) throw error;
    return toText(id, JSON.stringify(await callRequiredTask({ request, call, session, context })));
  }
  return toText(id, context.writeResult(facts.revision, name, result));
}

export function toModernRequest(
  { id, method: name, params }: JsonRpcRequest,
  { facts }: LegacySession,
  state: SessionState | undefined,
  { settings }: LegacyContext,
): ModernRequest {
  const { capabilities, clientInfo, isStateless } = facts;
  const logLevel = isStateless ? undefined : (state?.logLevel ?? settings.logLevel);
  const modern: ModernRequest = {
    id,
    method: name,
    params: facts.revision.fromClientParams(name, params, { capabilities, clientInfo, logLevel }),
  };
  if (state?.rootsVersion !== undefined) modern.rootsVersion = state.rootsVersion;
  return modern;
}

function toText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}
