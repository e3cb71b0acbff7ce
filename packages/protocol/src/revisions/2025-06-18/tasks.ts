// No tasks of its own. A task that reaches this revision has the form of 2025-11-25.
export { fromServerTask, toClientTask } from "../2025-11-25/tasks.ts";
