// Follows one task to its end, and answers its input requests on the way (F-15, F-16).
import { type DetailedTask, type InputRequests, isTask, isTerminal, method, type Task } from "@lethe/protocol";
import { orCancelled, toAbortSignal } from "../call/cancel-signal.ts";
import type { Deadline } from "../call/deadline.ts";
import { TransportError } from "../call/transport-error.ts";
import { answerInputRequests } from "../interaction/answer-input-requests.ts";
import type { Handlers } from "../interaction/handlers.ts";
import { throughOutages } from "./outage.ts";
import type { TaskNews } from "./task-news.ts";
import type { TaskSettings } from "./task-options.ts";

/** What is needed to find a task again, as JSON. A CreateTaskResult is one. */
export interface TaskHandle {
  /** The id that the server gave the task. */
  readonly taskId: string;
  /** Describes the task to the user who answers its input requests. */
  readonly tool?: string;
}

export interface FollowContext {
  readonly serverName: string;
  readonly handlers: Handlers;
  readonly settings: TaskSettings;
  readonly deadline: Deadline;
  readonly news: TaskNews;
  /** Receives every state. */
  tell(task: Task): void;
  get(signal: AbortSignal): Promise<DetailedTask>;
  update(answers: { [key: string]: unknown }, signal: AbortSignal): Promise<void>;
}

/** The final state. Rejects with McpError, TransportError, or the error of a handler. */
export async function followTask(
  task: TaskHandle | (Task & TaskHandle),
  context: FollowContext,
): Promise<DetailedTask> {
  const { settings, deadline, news, tell } = context;
  const signal = toAbortSignal(deadline);
  const outage = { maxOutageMs: settings.maxOutageMs, signal: deadline };
  const nextPause = createPacer(settings);
  const answered = new Set<string>();
  let rounds = 0;

  async function answer(questions: InputRequests): Promise<void> {
    const { serverName: server, handlers } = context;
    rounds += 1;
    if (rounds > settings.maxRounds) {
      throw new TransportError("invalid", `a task of ${server} still asks after ${settings.maxRounds} rounds`);
    }
    const asked = { server, method: method.callTool, target: task.tool ?? "", isCertain: true, signal };
    const answers = await orCancelled(answerInputRequests(questions, handlers, asked), deadline);
    // Even if sending the answers fails, the user is not asked the same again.
    for (const key of Object.keys(questions)) answered.add(key);
    await throughOutages(() => context.update({ ...answers }, signal), outage);
  }

  // Skips requests that were already answered: a server may list a key for a while after its answer (F-14).
  function openQuestions(state: DetailedTask): InputRequests | undefined {
    if (state.status !== "input_required") return undefined;
    const open = Object.entries(state.inputRequests).filter(([key]) => !answered.has(key));
    return open.length > 0 ? Object.fromEntries(open) : undefined;
  }

  let state: DetailedTask | undefined;
  if (isTask(task)) {
    tell(task);
    if (task.status === "working") state = await news.wait(nextPause(task, news.isListening), deadline);
  }
  for (;;) {
    state ??= await throughOutages(() => context.get(signal), outage);
    tell(state);
    if (isTerminal(state.status)) return state;
    const questions = openQuestions(state);
    if (questions) {
      await answer(questions);
      state = undefined;
    } else state = await news.wait(nextPause(state, news.isListening), deadline);
  }
}

// F-16: at the server's polling interval, else with exponential backoff. With notifications, polling is only a safeguard.
function createPacer({ pollIntervalMs, minPollMs, maxPollMs }: TaskSettings) {
  let ownMs = pollIntervalMs;
  return (task: Task, isListening: boolean): number => {
    if (isListening) return maxPollMs;
    const said = task.pollIntervalMs;
    if (typeof said === "number") return Math.min(Math.max(said, minPollMs), maxPollMs);
    const ms = ownMs;
    ownMs = Math.min(ownMs * 1.5, maxPollMs);
    return ms;
  };
}
