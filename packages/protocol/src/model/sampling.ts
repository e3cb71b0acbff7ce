// Sampling (E.12): a server asks the client's model for a message. The protocol deprecates it.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { AudioContent, ImageContent, Role, TextContent } from "./content.ts";
import type { Tool } from "./tools.ts";

export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject;
}

export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: JsonObject;
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface SamplingMessage {
  role: Role;
  // E-97
  /** One block or an array of blocks. */
  content: SamplingContent | SamplingContent[];
  _meta?: JsonObject;
}

export interface ModelPreferences {
  hints?: { name?: string }[];
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
}

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

export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageParams;
}

export interface CreateMessageResult {
  role: Role;
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
}

export function isCreateMessageResult(value: unknown): value is CreateMessageResult {
  if (!isJsonObject(value)) return false;
  if (value.role !== "user" && value.role !== "assistant") return false;
  return typeof value.model === "string" && typeof value.content === "object" && value.content !== null;
}
