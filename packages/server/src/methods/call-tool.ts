// tools/call (E.9), with the checks of B-35 from step 12 on.
import {
  type CallToolResult,
  checkParamHeaders,
  clientCapabilitiesOf,
  declaresTasks,
  type Exchange,
  errorCode,
  invalidParams,
  McpError,
  type ModernRequest,
  parseCallToolParams,
  type Result,
  requireTasks,
  type StandardResult,
  type TaskAugmentation,
  taskAugmentationOf,
} from "@lethe/protocol";
import { toIssueText } from "../features/issue-text.ts";
import type { Awaitable } from "../features/literal-hint.ts";
import { unknownFeature } from "../features/registry.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { ToolDefinition } from "../features/tool.ts";
import { runWithInteraction } from "../interaction/run-with-interaction.ts";
import { forwardRequest } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { requireAccess } from "./require-access.ts";
import { answerOnce } from "./run-round.ts";
import { runHandler, runToolAsTask, toErrorResult, toFailure } from "./run-tool.ts";
import type { ServerParts } from "./server-parts.ts";

export const callTool: Method = {
  answer(parts, request, exchange) {
    const { name, arguments: args = {} } = parseCallToolParams(request.params);
    const definition = parts.registry.tools.get(name, exchange.caller);
    if (definition === undefined) throw unknownFeature(parts.registry, "tool", name);
    const { feature, paramHeaders, forward } = definition;
    if (paramHeaders.length > 0 && exchange.headers) checkParamHeaders(paramHeaders, args, exchange.headers);
    requireAccess(feature, request, exchange);
    if (forward) return forwardRequest(parts, { feature, forward }, request, exchange);
    const wish = taskAugmentationOf(request);
    const policy = policyOf(definition, wish);
    if (policy.mode === "always") requireTasks(request);
    const call: ToolCall = { parts, request, exchange, definition, wish, policy };
    try {
      const checked = definition.validateInput(args);
      const running =
        checked instanceof Promise ? checked.then((later) => runChecked(call, later)) : runChecked(call, checked);
      if (!(running instanceof Promise)) return running;
      return running.catch((error: unknown) => toFailure(error, parts, request, exchange));
    } catch (error) {
      return toFailure(error, parts, request, exchange);
    }
  },
};

interface ToolCall {
  readonly parts: ServerParts;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly definition: ToolDefinition;
  readonly wish: TaskAugmentation | undefined;
  readonly policy: TaskPolicy;
}

/** `checked` holds the arguments as the tool's schema converts them. */
function runChecked(call: ToolCall, checked: StandardResult<unknown>): Awaitable<Result> {
  const { parts, request, exchange, definition, wish, policy } = call;
  if (checked.issues) return refuse(`invalid arguments: ${toIssueText(checked.issues)}`, wish);
  const { value } = checked;
  if (policy.mode !== "never" && declaresTasks(clientCapabilitiesOf(request))) return runAsTask(call, value);
  const ctx = new RequestContext(parts, request, exchange, definition.feature);
  const run = () => runHandler(definition, value, ctx);
  if (request.params.requestState === undefined) return runWithInteraction(ctx, run);
  const answer = async () => runWithInteraction(ctx, run);
  return answerOnce(ctx, () => answer().catch((error) => toFailure(error, parts, request, exchange)));
}

function runAsTask({ parts, request, exchange, definition, policy }: ToolCall, value: unknown): Promise<Result> {
  const { tool, feature } = definition;
  const isRetry = request.params.requestState !== undefined;
  const retry = isRetry ? new RequestContext(parts, request, exchange, feature) : undefined;
  const call = () =>
    parts.tasks.call({
      ...{ request, exchange, policy, tool: tool.name, version: feature.version },
      mark: () => parts.fingerprintOf(feature).text(),
      execute: (run) => runToolAsTask(parts, definition, value, run, retry?.openedRound),
    });
  return retry ? answerOnce(retry, call) : call();
}

/** A request with task augmentation gets a task at once or fails. */
function policyOf({ tool, task }: ToolDefinition, wish: TaskAugmentation | undefined): TaskPolicy {
  if (wish === undefined) return task;
  if (task.mode === "never") throw new McpError(errorCode.methodNotFound, `${tool.name} cannot run as a task`);
  return { ...task, mode: "always", ...(wish.ttlMs !== undefined && { ttlMs: wish.ttlMs }) };
}

/** Invalid arguments become an `isError` result if the caller accepts results. */
function refuse(message: string, wish: TaskAugmentation | undefined): CallToolResult {
  if (wish !== undefined) throw invalidParams(message);
  return toErrorResult(message);
}
