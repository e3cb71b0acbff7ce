// The hooks of an extension as middleware.
import {
  type Exchange,
  type Middleware,
  type ModernRequest,
  method,
  type Result,
  type Tool,
  withReadyText,
} from "@lethe/protocol";
import { isDeclared, sendNotification } from "./methods/send-notification.ts";
import type { ExtensionCall, ServerExtension } from "./server-extension.ts";

/** Undefined for an extension without hooks. */
export function toMiddleware(extension: ServerExtension): Middleware | undefined {
  const listTools = extension.listTools?.bind(extension);
  const callTool = extension.callTool?.bind(extension);
  if (!listTools && !callTool) return undefined;
  const toCall = (request: ModernRequest, exchange: Exchange): ExtensionCall => ({
    ...{ request, exchange },
    isDeclared: isDeclared(extension.id, request),
    notify: (name, params) => sendNotification(extension, { request, exchange }, name, params),
  });
  return (next) => (request, exchange) => {
    if (listTools && request.method === method.listTools) {
      return next(request, exchange).then((page) =>
        withTools(page, (tools) => listTools(tools, toCall(request, exchange))),
      );
    }
    if (!callTool || request.method !== method.callTool) return next(request, exchange);
    return callTool(toCall(request, exchange), () => next(request, exchange));
  };
}

/** Returns the same page, with its ready text, if no tool changes. */
function withTools(page: Result, change: (tools: readonly Tool[]) => readonly Tool[]): Result {
  if (!Array.isArray(page.tools)) return page;
  const before = page.tools as readonly Tool[];
  const tools = change(before);
  if (tools.length === before.length && tools.every((tool, index) => tool === before[index])) return page;
  // What one client gets must not be cached for others.
  return withReadyText<Result>({ ...page, tools: [...tools], cacheScope: "private" });
}
