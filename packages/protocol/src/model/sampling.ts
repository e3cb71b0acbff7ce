// Sampling (E.12): a server asks the client's model for a message. The protocol deprecates it.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { AudioContent, ImageContent, Role, TextContent } from "./content.ts";
import type { Tool } from "./tools.ts";

/** A tool call that the model requests. */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject;
}

/** The result of such a tool call. */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: JsonObject;
}

/** A content block of a sampling message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** One message of the conversation with the model. */
export interface SamplingMessage {
  role: Role;
  // E-97
  /** One block or an array of blocks. */
  content: SamplingContent | SamplingContent[];
  _meta?: JsonObject;
}

/** Preferences for the choice of a model. Priorities range from 0 to 1. */
export interface ModelPreferences {
  hints?: { name?: string }[];
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
}

/** Params of sampling/createMessage. */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  includeContext?: "none" | "thisServer" | "allServers";
  temperature?: number;
  stopSequences?: string[];
  metadata?: JsonObject;
  // E-96
  /** Requires the client capability `sampling.tools`. */
  tools?: Tool[];
  toolChoice?: { mode?: "auto" | "required" | "none" };
}

/** A sampling request. */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageParams;
}

/** The message that the model returned. */
export interface CreateMessageResult {
  role: Role;
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
}

/** True if `value` has the shape of a sampling result. */
export function isCreateMessageResult(value: unknown): value is CreateMessageResult {
  if (!isJsonObject(value)) return false;
  if (value.role !== "user" && value.role !== "assistant") return false;
  return typeof value.model === "string" && typeof value.content === "object" && value.content !== null;
}
