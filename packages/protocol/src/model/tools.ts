// Tools (E.9): tools/list and tools/call.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";
import type { ContentBlock } from "./content.ts";
import { expectOptionalObject, expectString } from "./expect.ts";
import { type InputParams, parseInputParams } from "./input-params.ts";
import type { Page } from "./pagination.ts";

// E-71
/** Hints about the behaviour of a tool. A client ignores them unless it trusts the server. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A tool as lists show it. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  // E-67, A-53
  /** JSON Schema with `type: "object"` at its root. Forwarded unchanged. */
  inputSchema: JsonObject;
  /** Any JSON Schema. */
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  _meta?: JsonObject;
}

/** The result of tools/list. */
export interface ListToolsResult extends Result, CacheHints, Page {
  tools: Tool[];
}

/** Params of tools/call. */
export interface CallToolParams extends InputParams {
  name: string;
  arguments?: JsonObject;
}

/** The result of tools/call. `isError` marks an error of the tool itself. */
export interface CallToolResult extends Result {
  content: ContentBlock[];
  // E-69
  /** Any JSON value. Test for presence with `in`: null and false are values. */
  structuredContent?: unknown;
  isError?: boolean;
}

// J-9
/** Throws McpError -32602 for a missing name and for arguments that are not an object. The schema is checked elsewhere. */
export function parseCallToolParams(params: JsonObject): CallToolParams {
  const call: CallToolParams = parseInputParams(params) as CallToolParams;
  call.name = expectString(params, "name");
  const args = expectOptionalObject(params, "arguments");
  if (args) call.arguments = args;
  return call;
}
