// tools/call (E.9), with the checks of B-35 from step 12 on.
import {
  type CallToolResult,
  checkParamHeaders,
  clientCapabilitiesOf,
  declaresTasks,
  errorCode,
  invalidParams,
  McpError,
  parseCallToolParams,
  requireTasks,
  type TaskAugmentation,
  taskAugmentationOf,
} from "@lethe/protocol";
import { toIssueText } from "../features/issue-text.ts";
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

export const callTool: Method = {
  async answer(parts, request, exchange) {
    const { name, arguments: args = {} } = parseCallToolParams(request.params);
    const definition = parts.registry.tools.get(name, exchange.caller);
    if (definition === undefined) throw unknownFeature(parts.registry, "tool", name);
    const { feature, paramHeaders } = definition;
    if (paramHeaders.length > 0 && exchange.headers) checkParamHeaders(paramHeaders, args, exchange.headers);
    requireAccess(feature, request, exchange);
    const { forward } = definition;
    if (forward) return forwardRequest(parts, { feature, forward }, request, exchange);
    const wish = taskAugmentationOf(request);
    const policy = policyOf(definition, wish);
    if (policy.mode === "always") requireTasks(request);
    try {
      const checking = definition.validateInput(args);
      const checked = checking instanceof Promise ? await checking : checking;
      if (checked.issues) return refuse(`invalid arguments: ${toIssueText(checked.issues)}`, wish);
      const { value } = checked;
      const isRetry = request.params.requestState !== undefined;
      if (policy.mode !== "never" && declaresTasks(clientCapabilitiesOf(request))) {
        const retry = isRetry ? new RequestContext(parts, request, exchange, feature) : undefined;
        const call = () =>
          parts.tasks.call({
            ...{ request, exchange, policy, tool: name, version: feature.version },
            mark: () => parts.fingerprintOf(feature).text(),
            execute: (run) => runToolAsTask(parts, definition, value, run, retry?.openedRound),
          });
        return await (retry ? answerOnce(retry, call) : call());
      }
      const ctx = new RequestContext(parts, request, exchange, feature);
      const run = () => runHandler(definition, value, ctx);
      if (!isRetry) return await runWithInteraction(ctx, run);
      const answer = () => runWithInteraction(ctx, run);
      return await answerOnce(ctx, () => answer().catch((error) => toFailure(error, parts, request, exchange)));
    } catch (error) {
      return toFailure(error, parts, request, exchange);
    }
  },
};

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
