// The methods of the protocol's core and of the tasks extension, by name (K).
import { method } from "@lethe/protocol";
import { callTool } from "../methods/call-tool.ts";
import { complete } from "../methods/complete.ts";
import { discover } from "../methods/discover.ts";
import { getPrompt } from "../methods/get-prompt.ts";
import { listen } from "../methods/listen.ts";
import { listPrompts, listResources, listResourceTemplates, listTools } from "../methods/lists.ts";
import type { Method } from "../methods/method.ts";
import { readResource } from "../methods/read-resource.ts";
import { cancelTask, getTask, updateTask } from "../methods/task-methods.ts";

export const coreMethods: ReadonlyMap<string, Method> = new Map([
  [method.discover, discover],
  [method.listTools, listTools],
  [method.callTool, callTool],
  [method.listPrompts, listPrompts],
  [method.getPrompt, getPrompt],
  [method.listResources, listResources],
  [method.listResourceTemplates, listResourceTemplates],
  [method.readResource, readResource],
  [method.complete, complete],
  [method.listen, listen],
  [method.getTask, getTask],
  [method.updateTask, updateTask],
  [method.cancelTask, cancelTask],
]);
