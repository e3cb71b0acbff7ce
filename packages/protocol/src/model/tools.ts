// Tools (E.9): tools/list and tools/call.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";
import type { ContentBlock } from "./content.ts";
import { expectOptionalObject, expectString } from "./expect.ts";
import { type InputParams, parseInputParams } from "./input-params.ts";
import type { Page } from "./pagination.ts";

/** Hints only: a client distrusts them from a server that it does not trust (E-71). */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  /** JSON Schema whose root has `type: "object"` (E-67); passed on untouched. */
  inputSchema: JsonObject;
  /** Any JSON Schema. */
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  _meta?: JsonObject;
}

export interface ListToolsResult extends Result, CacheHints, Page {
  tools: Tool[];
}

export interface CallToolParams extends InputParams {
  name: string;
  arguments?: JsonObject;
}

export interface CallToolResult extends Result {
  content: ContentBlock[];
  /** Any JSON value: test presence with `in`, null and false are values (E-69). */
  structuredContent?: unknown;
  isError?: boolean;
}

/** J-9: a missing name or arguments that are not an object are -32602; arguments against the schema are the tool's matter. */
export function parseCallToolParams(params: JsonObject): CallToolParams {
  const call: CallToolParams = parseInputParams(params) as CallToolParams;
  call.name = expectString(params, "name");
  const args = expectOptionalObject(params, "arguments");
  if (args) call.arguments = args;
  return call;
}
