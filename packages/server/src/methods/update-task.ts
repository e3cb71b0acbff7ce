// tasks/update (F-14): answers to the questions of a task. Some may come now and the rest later.
import { answerUnder, invalidParams, type JsonObject, parseUpdateTaskParams } from "@lethe/protocol";
import { readAnswer } from "../interaction/question.ts";
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

/** What does not fit its question is refused as a whole (E-29): its key stays open. Null is no answer. */
function readAnswers({ questions = {} }: StoredTask, responses: JsonObject): JsonObject {
  const answers: [string, unknown][] = [];
  for (const [shownKey, { request }] of Object.entries(questions)) {
    const response = answerUnder(shownKey, responses);
    if (response === undefined) continue;
    const { kept, issue } = { kept: undefined, ...readAnswer(request, response) };
    if (issue !== undefined)
      throw invalidParams(`invalid params: inputResponses ${JSON.stringify(shownKey)}: ${issue}`);
    answers.push([shownKey, kept]);
  }
  return Object.fromEntries(answers);
}
