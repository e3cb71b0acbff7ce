// Runs the handler of a tool that may become a task: on its request, or resumed from a store.
import {
  type CallToolResult,
  type Exchange,
  errorCode,
  isMcpError,
  McpError,
  type ModernRequest,
  type Result,
} from "@lethe/protocol";
import { InputRequired } from "../features/input-required.ts";
import type { Awaitable } from "../features/literal-hint.ts";
import type { ToolDefinition } from "../features/tool.ts";
import { mayReplay, versionConflict } from "../interaction/handler-fingerprint.ts";
import { type OpenedRound, runWithInteraction } from "../interaction/run-with-interaction.ts";
import type { SessionDefinition } from "../session/session.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import type { TaskRun } from "../tasks/task-run.ts";
import { callerMessageOf } from "./caller-message.ts";
import { calledBy } from "./report-error.ts";
import type { RequestContext } from "./request-context.ts";
import type { HandlerParts } from "./server-parts.ts";
import { TaskContext } from "./task-context.ts";

/** `value` holds the arguments as the tool's schema converts them. */
export async function runToolAsTask(
  parts: HandlerParts,
  definition: ToolDefinition,
  value: unknown,
  run: TaskRun,
  openedRound?: OpenedRound,
): Promise<Result> {
  try {
    const ctx = new TaskContext(parts, run, definition.feature, openedRound);
    return await runWithInteraction(ctx, () => runHandler(definition, value, ctx));
  } catch (error) {
    return toFailure(error, parts, run.request, run);
  }
}

/** Runs the handler of a tool. Its sessions are written when it has returned a result. */
export function runHandler(
  definition: ToolDefinition,
  value: unknown,
  ctx: RequestContext,
): Awaitable<CallToolResult | InputRequired> {
  const { sessions } = definition;
  return sessions === undefined ? definition.run(value, ctx) : runWithSessions(definition, value, ctx, sessions);
}

async function runWithSessions(
  definition: ToolDefinition,
  value: unknown,
  ctx: RequestContext,
  declared: readonly SessionDefinition[],
): Promise<CallToolResult | InputRequired> {
  const sessions = ctx.declareSessions(declared);
  const result = await definition.run(value, ctx);
  return result instanceof InputRequired ? result : sessions.finish(result);
}

/** Throws McpError when the tool has changed since the task began, in a way that its versions do not allow. */
export async function resumeTool(parts: HandlerParts, run: TaskRun, { tool, rounds }: StoredTask): Promise<Result> {
  const definition = parts.registry.tools.get(tool, run.caller);
  const handler = definition && parts.fingerprintOf(definition.feature);
  if (handler && rounds && !(await mayReplay(handler, rounds.journal))) {
    const place = { code: errorCode.internalError, place: `the task of ${JSON.stringify(tool)}` };
    throw versionConflict(handler, rounds.journal, place) ?? toolChanged();
  }
  const checked = await definition?.validateInput((run.request.params.arguments ?? {}) as { [name: string]: unknown });
  if (!definition || !checked || checked.issues || !rounds) throw toolChanged();
  return runToolAsTask(parts, definition, checked.value, run);
}

function toolChanged(): McpError {
  return new McpError(errorCode.internalError, "the tool has changed since the task began");
}

/** An error of a tool becomes a result for the model. */
export function toFailure(
  error: unknown,
  parts: HandlerParts,
  request: ModernRequest,
  exchange: Exchange,
): CallToolResult {
  if (isMcpError(error)) throw error;
  const message = callerMessageOf(error);
  return toErrorResult(message ?? `internal error (id ${parts.reportError(error, calledBy(request), exchange)})`);
}

export function toErrorResult(text: string): CallToolResult {
  return { resultType: "complete", content: [{ type: "text", text }], isError: true };
}
