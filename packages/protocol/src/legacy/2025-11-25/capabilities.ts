// Capabilities of 2025-11-25: core tasks (D-38) are not the tasks of today, and neither side may take one for the other.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../meta/capabilities.ts";

const tasksExtension = "io.modelcontextprotocol/tasks";

/** What is not an object declares nothing. */
export function toModernCapabilities(declared: JsonObject): ClientCapabilities {
  const { tasks: _, ...capabilities } = declared;
  for (const [name, value] of Object.entries(capabilities)) {
    if (!isJsonObject(value)) delete capabilities[name];
  }
  return withoutTasks(capabilities);
}

export function toLegacyCapabilities(served: ServerCapabilities): JsonObject {
  return withoutTasks({ ...served });
}

function withoutTasks(capabilities: JsonObject): JsonObject {
  if (!isJsonObject(capabilities.extensions)) return capabilities;
  const { [tasksExtension]: _, ...extensions } = capabilities.extensions;
  const { extensions: __, ...rest } = capabilities;
  return Object.keys(extensions).length === 0 ? rest : { ...rest, extensions };
}
