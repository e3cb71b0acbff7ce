// tasks/get (F): the status of a task with its input requests, result or error.
import { toDetailedTask } from "../tasks/task-state.ts";
import { findTask } from "./find-task.ts";
import type { Method } from "./method.ts";

export const getTask: Method = {
  async answer(parts, request, exchange) {
    return { resultType: "complete", ...toDetailedTask(await findTask(parts, request, exchange)) };
  },
};
