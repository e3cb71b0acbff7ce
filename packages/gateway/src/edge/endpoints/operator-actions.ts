// What an operator does with the pending calls and tasks of callers.
import { isTerminal, type JsonObject } from "@lethe/protocol";
import type { GatewayTasks } from "../../calls/gateway-tasks.ts";
import type { LiveTask } from "../../calls/live-task.ts";
import type { ActedCall, OperatorAnswers } from "../../calls/operator-answers.ts";
import type { Timeline } from "../../calls/task-timelines.ts";

/** Actions of an operator on calls and tasks of callers. Ids are those of the gateway's view. */
export interface OperatorActions {
  /**
   * Answers a pending call in the place of its caller, who gets the result with its own retry. Returns undefined for an unknown call.
   * Throws McpError for answers that its caller could not give either.
   */
  answerCall(id: string, responses: JsonObject): ActedCall | undefined;
  /** Cancels a pending call at its upstream. Returns undefined for an unknown call. */
  cancelCall(id: string): ActedCall | undefined;
  /** Returns a task, also one that has ended and is still kept, and what happened to it. */
  findTask(id: string): { readonly task: LiveTask; readonly timeline: Timeline } | undefined;
  /** Tasks that have ended and are still kept, the newest first. */
  readonly endedTasks: readonly LiveTask[];
  /** Answers input requests of a task. Resolves with false if the task requests none. Rejects with McpError for other answers. */
  answerTask(task: LiveTask, responses: JsonObject): Promise<boolean>;
  /** Cancels a task. Resolves with false if it has ended. */
  cancelTask(task: LiveTask): Promise<boolean>;
}

export function createOperatorActions(answers: OperatorAnswers, tasks: GatewayTasks): OperatorActions {
  return {
    answerCall: (id, responses) => answers.answer(id, responses),
    cancelCall: (id) => answers.cancel(id),
    findTask(start) {
      const found = [...tasks.live, ...tasks.ended].filter(({ id }) => id.startsWith(start));
      const [task] = found;
      return task && found.length === 1 ? { task, timeline: tasks.timelineOf(task.id) } : undefined;
    },
    get endedTasks() {
      return tasks.ended;
    },
    async answerTask({ id, status }, responses) {
      if (status !== "input_required") return false;
      await tasks.answer(id, responses);
      return true;
    },
    async cancelTask({ id, status }) {
      if (isTerminal(status)) return false;
      await tasks.cancel(id);
      return true;
    },
  };
}
