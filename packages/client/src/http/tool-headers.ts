// The `Mcp-Param-*` headers of tools/call (B-54), learned from tools/list results (B-74).
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
  // B-50 to B-52.
  /** Remembers the annotations on a page of tools/list. Returns the page without tools whose annotations are invalid. */
  learn(page: Result): Result;
  // B-75.
  /** Throws McpError -32602 for an argument that a header cannot represent. Returns nothing for an unknown tool. */
  of(request: ModernRequest): Record<string, string> | undefined;
}

// Limit of annotated tools. A call of a forgotten one costs one more round trip (B-75).
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
