// The `Mcp-Param-*` headers of tools/call (B-54), known from the tools/list answers that passed by (B-74).
import {
  isJsonObject,
  type JsonObject,
  type ModernRequest,
  type ParamHeader,
  parseParamHeaders,
  type Result,
  toParamHeaders,
} from "@lethe/protocol";

export interface ToolHeaders {
  /** Remembers the annotations of a page of tools/list and returns the page without the tools that break B-50 to B-52. */
  learn(page: Result): Result;
  /** Throws McpError -32602 for an argument that no header can hold; nothing for an unknown tool (B-75). */
  of(request: ModernRequest): Record<string, string> | undefined;
}

/** Beyond this many annotated tools the oldest is forgotten; its call then costs one more round (B-75). */
const maxTools = 10_000;

export function createToolHeaders(warn: (message: string) => void): ToolHeaders {
  const declaredBy = new Map<string, readonly ParamHeader[]>();

  function isUsable(tool: unknown): boolean {
    if (!isJsonObject(tool) || typeof tool.name !== "string" || !isJsonObject(tool.inputSchema)) return true;
    declaredBy.delete(tool.name);
    try {
      remember(tool.name, parseParamHeaders(tool.inputSchema));
      return true;
    } catch (error) {
      warn(`tool ${JSON.stringify(tool.name)} is left out: ${(error as Error).message}`);
      return false;
    }
  }

  function remember(name: string, declared: readonly ParamHeader[]): void {
    if (declared.length === 0) return;
    declaredBy.set(name, declared);
    if (declaredBy.size > maxTools) declaredBy.delete(declaredBy.keys().next().value as string);
  }

  return {
    learn(page) {
      if (!Array.isArray(page.tools)) return page;
      const tools = page.tools.filter(isUsable);
      return tools.length === page.tools.length ? page : { ...page, tools };
    },
    of({ params }) {
      const declared = declaredBy.get(params.name as string);
      return declared && toParamHeaders(declared, params.arguments as JsonObject | undefined);
    },
  };
}
