// Explains why no task was requested: a client may request one only if the server declares tasks (D-38).
import { isJsonObject } from "@lethe/protocol";
import type { WireMessage } from "../record/messages.ts";
import type { Recording } from "../record/recording.ts";
import { toEvidence } from "./evidence.ts";

/** Returns undefined if a task was requested, or if the server decides by itself. */
export function explainMissingTask(
  during: readonly WireMessage[],
  messages: readonly WireMessage[],
  { transport, era }: Recording,
): string | undefined {
  if (era === "modern") return undefined;
  const calls = during.filter(({ sender, message }) => sender === "client" && message.method === "tools/call");
  const isRequested = calls.some(({ message }) => isJsonObject(message.params) && message.params.task !== undefined);
  if (isRequested || calls.length === 0) return undefined;
  const initialized = messages.find(
    ({ message: { result } }) => isJsonObject(result) && typeof result.protocolVersion === "string",
  );
  const result = initialized?.message.result;
  const capabilities = isJsonObject(result) && isJsonObject(result.capabilities) ? result.capabilities : {};
  const { tasks, experimental } = capabilities;
  const isDeclared = isJsonObject(tasks) || (isJsonObject(experimental) && isJsonObject(experimental.tasks));
  if (isDeclared) return "the tool does not declare execution.taskSupport, so no task was requested";
  const where = initialized ? ` (${toEvidence([initialized], transport)} of initialize)` : "";
  return `the server declares no tasks capability${where}, so no task was requested`;
}
