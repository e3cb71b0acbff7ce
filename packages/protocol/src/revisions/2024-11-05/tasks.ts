// No tasks of its own. A task that reaches this revision has the form of 2025-03-26.
export { fromServerTask, toClientTask } from "../2025-03-26/tasks.ts";
