// Prompts (E.10): prompts/list and prompts/get.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";
import type { ContentBlock, Role } from "./content.ts";
import { expectString, unexpected } from "./expect.ts";
import { type InputParams, parseInputParams } from "./input-params.ts";
import type { Page } from "./pagination.ts";

/** An argument of a prompt. */
export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** A prompt as lists show it. */
export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: JsonObject;
}

/** One message of a prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** The result of prompts/list. */
export interface ListPromptsResult extends Result, CacheHints, Page {
  prompts: Prompt[];
}

/** Params of prompts/get. */
export interface GetPromptParams extends InputParams {
  name: string;
  arguments?: { [name: string]: string };
}

/** The result of prompts/get. */
export interface GetPromptResult extends Result {
  description?: string;
  messages: PromptMessage[];
}

/** Throws McpError -32602 for malformed params. */
export function parseGetPromptParams(params: JsonObject): GetPromptParams {
  const get = parseInputParams(params) as GetPromptParams;
  get.name = expectString(params, "name");
  const args = parseStringMap(params, "arguments");
  if (args) get.arguments = args;
  return get;
}

// E-82
/** An optional member that maps names to strings. Throws McpError -32602 for any other value. */
export function parseStringMap(params: JsonObject, member: string): { [name: string]: string } | undefined {
  const value = params[member];
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw unexpected(member, "an object", value);
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") throw unexpected(`${member}.${name}`, "a string", text);
  }
  return value as { [name: string]: string };
}
