// tasks/get, tasks/update and tasks/cancel (F-14, F-20).
import { answerUnder, invalidParams, type JsonObject, parseUpdateTaskParams } from "@lethe/protocol";
import { readAnswer } from "../interaction/input-request.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import { toDetailedTask } from "../tasks/task-state.ts";
import { findTask } from "./find-task.ts";
import { sendForward } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { forwardTaskRequest, isMountedTaskId } from "./mounted-task.ts";

/** Returns the status of a task with its input requests, result or error. */
export const getTask: Method = ownOrMounted({
  async answer(parts, request, exchange) {
    return { resultType: "complete", ...toDetailedTask(await findTask(parts, request, exchange)) };
  },
});

/** Stores responses to all or some input requests of a task. */
export const updateTask: Method = ownOrMounted({
  async answer(parts, request, exchange) {
    const task = await findTask(parts, request, exchange);
    const { taskId, inputResponses } = parseUpdateTaskParams(request.params);
    await parts.tasks.answer(taskId, readAnswers(task, inputResponses));
    return { resultType: "complete" };
  },
});

/** Always acknowledged, also when the task has ended. */
export const cancelTask: Method = ownOrMounted({
  async answer(parts, request, exchange) {
    const { taskId } = await findTask(parts, request, exchange);
    await parts.tasks.cancel(taskId);
    return { resultType: "complete" };
  },
});

/** A task of a mounted server is answered there. */
function ownOrMounted(own: Method): Method {
  return {
    answer(parts, request, exchange) {
      if (!isMountedTaskId(request.params.taskId)) return own.answer(parts, request, exchange);
      return forwardTaskRequest(parts, request, exchange, (forward, sent) =>
        sendForward(parts, forward, sent, exchange),
      );
    },
  };
}

/** An invalid response is rejected and its key stays open. Null counts as no response. */
function readAnswers({ inputRequests = {} }: StoredTask, responses: JsonObject): JsonObject {
  const answers: [string, unknown][] = [];
  for (const [shownKey, { request }] of Object.entries(inputRequests)) {
    const response = answerUnder(shownKey, responses);
    if (response === undefined) continue;
    const { kept, issue } = { kept: undefined, ...readAnswer(request, response) };
    if (issue !== undefined)
      throw invalidParams(`invalid params: inputResponses ${JSON.stringify(shownKey)}: ${issue}`);
    answers.push([shownKey, kept]);
  }
  return Object.fromEntries(answers);
}
