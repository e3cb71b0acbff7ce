// No tasks of its own. A task that reaches this revision has the form of 2025-06-18.
export { fromServerTask, toClientTask } from "../2025-06-18/tasks.ts";
