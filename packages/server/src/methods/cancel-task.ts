// tasks/cancel (F-20): always acknowledged, also when the task has ended.
import { findTask } from "./find-task.ts";
import type { Method } from "./method.ts";

export const cancelTask: Method = {
  async answer(parts, request, exchange) {
    const { taskId } = await findTask(parts, request, exchange);
    await parts.tasks.cancel(taskId);
    return { resultType: "complete" };
  },
};
