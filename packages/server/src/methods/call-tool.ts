// tools/call (E.9), with the checks of B-35 from step 12 on.
import {
  type CallToolResult,
  checkParamHeaders,
  type Exchange,
  invalidParams,
  isMcpError,
  type ModernRequest,
  parseCallToolParams,
} from "@lethe/protocol";
import { toIssueText } from "../features/issue-text.ts";
import { runWithInteraction } from "../interaction/run-with-interaction.ts";
import { callerMessageOf } from "./caller-message.ts";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { requireAccess } from "./require-access.ts";
import type { ServerParts } from "./server-parts.ts";

export const callTool: Method = {
  isServed: (capabilities) => capabilities.tools !== undefined,
  async answer(parts, request, exchange) {
    const { name, arguments: args = {} } = parseCallToolParams(request.params);
    const definition = parts.registry.tools.get(name, exchange.caller);
    if (definition === undefined) throw invalidParams(`unknown tool: ${JSON.stringify(name)}`);
    if (exchange.headers) checkParamHeaders(definition.paramHeaders, args, exchange.headers);
    requireAccess(definition.feature, request, exchange);
    try {
      const checking = definition.validateInput(args);
      const checked = checking instanceof Promise ? await checking : checking;
      if (checked.issues) return toErrorResult(`invalid arguments: ${toIssueText(checked.issues)}`);
      const ctx = new RequestContext(parts, request, exchange, definition.feature);
      const { value } = checked;
      return await runWithInteraction(ctx, () => definition.run(value, ctx));
    } catch (error) {
      return toFailure(error, parts, request, exchange);
    }
  },
};

/** E-70: what went wrong in a tool is for the model to see, as far as its author lets it. */
function toFailure(error: unknown, parts: ServerParts, request: ModernRequest, exchange: Exchange): CallToolResult {
  if (isMcpError(error)) throw error;
  const message = callerMessageOf(error);
  return toErrorResult(message ?? `internal error (id ${parts.reportError(error, request, exchange)})`);
}

function toErrorResult(text: string): CallToolResult {
  return { resultType: "complete", content: [{ type: "text", text }], isError: true };
}
