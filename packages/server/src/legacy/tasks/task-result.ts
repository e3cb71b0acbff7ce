// tasks/result (D-38): waits for the end of a core task and gives what its call would have answered. What the task asks
// meanwhile is asked live, for its client waits here.
import {
  errorCode,
  type GetTaskResult,
  type InputRequests,
  isMcpError,
  isTerminal,
  type JsonObject,
  McpError,
  method,
} from "@lethe/protocol";
import { relatedTaskKey } from "@lethe/protocol/revisions";
import { askAll } from "../calls/input-round.ts";
import { internal, pause } from "../calls/serve-call.ts";
import { createUrlElicitations, type UrlElicitations } from "../calls/url-elicitations.ts";
import { askCore, readTask, type TaskRequest } from "./task-request.ts";

/** ms; how often a task is looked at for a client that waits. */
const firstPauseMs = 20;
const maxPauseMs = 500;

/** Waits for the end, and asks the client live what the task asks. */
export async function awaitPayload(turn: TaskRequest, taskId: string): Promise<JsonObject> {
  const { run } = turn;
  const urlElicitations = createUrlElicitations(run, relatedTo(taskId));
  let refusals = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const task = await readTask(turn, taskId);
    const questions = task.status === "input_required" ? task.inputRequests : undefined;
    urlElicitations.leave(questions);
    if (questions) {
      const inputResponses = await askForTask(turn, taskId, questions, urlElicitations);
      if (inputResponses && !(await tryUpdate(turn, taskId, inputResponses))) refusals++;
      if (refusals > turn.context.settings.maxRounds) throw internal("the client gave no answer that the task takes");
      pauseMs = firstPauseMs;
    } else if (isTerminal(task.status)) return toPayload(task, turn);
    await pause(pauseMs, run);
  }
}

/** Undefined when the task asks this no longer: it has ended, or somebody else has answered. */
async function askForTask(
  turn: TaskRequest,
  taskId: string,
  questions: InputRequests,
  urlElicitations: UrlElicitations,
): Promise<JsonObject | undefined> {
  const { run, session } = turn;
  const round = session.beginRound(run);
  let isOver = false;
  const untilTaken = async (): Promise<undefined> => {
    while (!isOver) {
      await pause(maxPauseMs, run);
      if (!isOver && !asksStill(await readTask(turn, taskId), questions)) return;
    }
  };
  try {
    return await Promise.race([
      askAll(questions, { run, session, urlElicitations, round, _meta: relatedTo(taskId) }),
      untilTaken(),
    ]);
  } finally {
    isOver = true;
    round.end();
  }
}

/** F-14: a key is never used again. */
function asksStill(task: GetTaskResult, questions: InputRequests): boolean {
  return (
    task.status === "input_required" && Object.keys(questions).every((key) => Object.hasOwn(task.inputRequests, key))
  );
}

/** False when an answer does not fit its question, which is then asked again (E-29). */
async function tryUpdate(turn: TaskRequest, taskId: string, inputResponses: JsonObject): Promise<boolean> {
  try {
    await askCore(turn, method.updateTask, { taskId, inputResponses });
    return true;
  } catch (error) {
    if (isMcpError(error) && error.code === errorCode.invalidParams) return false;
    throw error;
  }
}

function relatedTo(taskId: string): JsonObject {
  return { [relatedTaskKey]: { taskId } };
}

/** What the call itself would have answered. */
function toPayload(task: GetTaskResult, { session }: TaskRequest): JsonObject {
  if (task.status === "failed") throw new McpError(task.error.code, task.error.message, { data: task.error.data });
  if (task.status !== "completed") throw internal("the task was cancelled");
  const result = session.facts.revision.toClientResult(method.callTool, { resultType: "complete", ...task.result });
  return { ...result, _meta: { ...(result._meta as JsonObject), ...relatedTo(task.taskId) } };
}
