// The method names of 2026-07-28 and of the tasks extension (K), and which of them may answer `input_required` (E-20).

export const method = {
  discover: "server/discover",
  listTools: "tools/list",
  callTool: "tools/call",
  listPrompts: "prompts/list",
  getPrompt: "prompts/get",
  listResources: "resources/list",
  listResourceTemplates: "resources/templates/list",
  readResource: "resources/read",
  complete: "completion/complete",
  listen: "subscriptions/listen",
  getTask: "tasks/get",
  updateTask: "tasks/update",
  cancelTask: "tasks/cancel",
} as const;

export const notificationMethod = {
  cancelled: "notifications/cancelled",
  progress: "notifications/progress",
  message: "notifications/message",
  acknowledged: "notifications/subscriptions/acknowledged",
  toolsChanged: "notifications/tools/list_changed",
  promptsChanged: "notifications/prompts/list_changed",
  resourcesChanged: "notifications/resources/list_changed",
  resourceUpdated: "notifications/resources/updated",
  task: "notifications/tasks",
} as const;

const ofTasks: ReadonlySet<string> = new Set([method.getTask, method.updateTask, method.cancelTask]);

/** The methods of the tasks extension (F-9). */
export function isTaskMethod(name: string): boolean {
  return ofTasks.has(name);
}

const mayAskForInput: ReadonlySet<string> = new Set([method.callTool, method.getPrompt, method.readResource]);

/** E-20: any other method that answers `input_required` is broken. */
export function isInputMethod(name: string): boolean {
  return mayAskForInput.has(name);
}
