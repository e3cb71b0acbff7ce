// Capabilities of 2025-11-25. Its tasks (D-38) differ from the tasks extension, so neither is declared as the other.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../meta/capabilities.ts";
import { declaresTasks, tasksExtension } from "../../model/tasks.ts";

export function readClientCapabilities(declared: JsonObject): ClientCapabilities {
  const { tasks: _, ...capabilities } = declared;
  for (const [name, value] of Object.entries(capabilities)) {
    if (!isJsonObject(value)) delete capabilities[name];
  }
  return withoutTasks(capabilities);
}

/** Tasks of either kind are left out: only the tool list tells which tools support them. */
export function readServerCapabilities(declared: JsonObject): ServerCapabilities {
  const { tasks: _, ...capabilities } = declared as JsonObject & ServerCapabilities;
  if (capabilities.extensions?.[tasksExtension] === undefined) return capabilities;
  const { [tasksExtension]: __, ...extensions } = capabilities.extensions;
  return { ...capabilities, extensions };
}

export function writeServerCapabilities(offered: ServerCapabilities): JsonObject {
  const capabilities = writeWithoutTasks(offered);
  if (!declaresTasks(offered)) return capabilities;
  return { ...capabilities, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
}

export function writeWithoutTasks(offered: ServerCapabilities): JsonObject {
  return withoutTasks({ ...offered });
}

function withoutTasks(capabilities: JsonObject): JsonObject {
  if (!isJsonObject(capabilities.extensions)) return capabilities;
  const { [tasksExtension]: _, ...extensions } = capabilities.extensions;
  const { extensions: __, ...rest } = capabilities;
  return Object.keys(extensions).length === 0 ? rest : { ...rest, extensions };
}
