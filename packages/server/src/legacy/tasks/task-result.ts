// tasks/result (D-38): waits for a task to end and returns the result of its call. Meanwhile sends the input requests of the
// task to the waiting client.
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
import { InputRound } from "../calls/input-round.ts";
import { internalError } from "../calls/running-call.ts";
import { sendInputRequests } from "../calls/send-input-requests.ts";
import { pause } from "../calls/timers.ts";
import { UrlElicitations } from "../calls/url-elicitations.ts";
import { callCore, readTask, type TaskRequest } from "./task-request.ts";

/** The task is polled with pauses that double between these two. */
const firstPauseMs = 20;
const maxPauseMs = 500;

/** Rejects with McpError if the task fails, is cancelled or is unknown. */
export async function awaitTaskResult(taskRequest: TaskRequest, taskId: string): Promise<JsonObject> {
  const { call } = taskRequest;
  const urlElicitations = new UrlElicitations(call, relatedTo(taskId));
  let refusals = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const task = await readTask(taskRequest, taskId);
    const inputRequests = task.status === "input_required" ? task.inputRequests : undefined;
    urlElicitations.completeAllBut(inputRequests);
    if (inputRequests) {
      const responses = await requestInput(taskRequest, taskId, inputRequests, urlElicitations);
      if (responses && !(await updateTask(taskRequest, taskId, responses))) refusals++;
      if (refusals > taskRequest.context.settings.maxRounds) {
        throw internalError("the task accepted none of the client's responses");
      }
      pauseMs = firstPauseMs;
    } else if (isTerminal(task.status)) return toCallResult(task, taskRequest);
    await pause(pauseMs, call);
  }
}

/** Resolves with undefined if the task no longer needs the input: it has ended, or has other responses. */
async function requestInput(
  taskRequest: TaskRequest,
  taskId: string,
  inputRequests: InputRequests,
  urlElicitations: UrlElicitations,
): Promise<JsonObject | undefined> {
  const { call, session } = taskRequest;
  const round = new InputRound(call, session.inputRequests);
  let isOver = false;
  const untilObsolete = async (): Promise<undefined> => {
    while (!isOver) {
      await pause(maxPauseMs, call);
      if (!isOver && !needsInput(await readTask(taskRequest, taskId), inputRequests)) return;
    }
  };
  try {
    return await Promise.race([
      sendInputRequests(inputRequests, { call, session, urlElicitations, round, _meta: relatedTo(taskId) }),
      untilObsolete(),
    ]);
  } finally {
    isOver = true;
    round.end();
  }
}

/** F-14: a task never uses a key twice. */
function needsInput(task: GetTaskResult, inputRequests: InputRequests): boolean {
  return (
    task.status === "input_required" &&
    Object.keys(inputRequests).every((key) => Object.hasOwn(task.inputRequests, key))
  );
}

/** Resolves with false if a response does not match its input request, which the task then sends again. */
async function updateTask(taskRequest: TaskRequest, taskId: string, inputResponses: JsonObject): Promise<boolean> {
  try {
    await callCore(taskRequest, method.updateTask, { taskId, inputResponses });
    return true;
  } catch (error) {
    if (isMcpError(error) && error.code === errorCode.invalidParams) return false;
    throw error;
  }
}

function relatedTo(taskId: string): JsonObject {
  return { [relatedTaskKey]: { taskId } };
}

function toCallResult(task: GetTaskResult, { session }: TaskRequest): JsonObject {
  if (task.status === "failed") throw new McpError(task.error.code, task.error.message, { data: task.error.data });
  if (task.status !== "completed") throw internalError("the task was cancelled");
  const result = session.facts.revision.toClientResult(method.callTool, { resultType: "complete", ...task.result });
  return { ...result, _meta: { ...(result._meta as JsonObject), ...relatedTo(task.taskId) } };
}
