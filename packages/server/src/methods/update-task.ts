// tasks/update (F-14): responses to the input requests of a task, all or some of them.
import { answerUnder, invalidParams, type JsonObject, parseUpdateTaskParams } from "@lethe/protocol";
import { readAnswer } from "../interaction/input-request.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import { findTask } from "./find-task.ts";
import type { Method } from "./method.ts";

export const updateTask: Method = {
  async answer(parts, request, exchange) {
    const task = await findTask(parts, request, exchange);
    const { taskId, inputResponses } = parseUpdateTaskParams(request.params);
    await parts.tasks.answer(taskId, readAnswers(task, inputResponses));
    return { resultType: "complete" };
  },
};

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
