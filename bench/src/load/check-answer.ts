// Checks the responses of contenders, because wrong responses are fast.
import { greetingOf } from "../contenders/tools.ts";
import type { Answer } from "./ask.ts";
import { type Message, messagesOf, nameFor } from "./wire.ts";

/** Throws an Error that names the problem. */
export type AnswerCheck = (messages: readonly Message[], id: number) => void;

/** Checks that the last message answers this id with the correct text. */
export const checkGreeting: AnswerCheck = (messages, id) => {
  const answer = answerIn(messages, id);
  const text = answer.result?.content?.[0]?.text;
  if (text !== greetingOf(nameFor(id))) throw new Error(`wrong answer: ${JSON.stringify(answer).slice(0, 200)}`);
};

/** Checks for a progress notification before the correct text. */
export const checkProgress: AnswerCheck = (messages, id) => {
  checkGreeting(messages, id);
  const progress = messages[0];
  if (progress?.method !== "notifications/progress") throw new Error("no progress before the result");
};

export function checkList(count: number): AnswerCheck {
  return (messages, id) => {
    const tools = answerIn(messages, id).result?.tools;
    if (tools?.length !== count) throw new Error(`listed ${tools?.length} tools instead of ${count}`);
  };
}

export function checkHttpAnswer(answer: Answer, id: number, check: AnswerCheck): void {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.body.slice(0, 200)}`);
  check(messagesOf(answer.body), id);
}

function answerIn(messages: readonly Message[], id: number): Message {
  const answer = messages.at(-1);
  if (answer?.id !== id) throw new Error(`no answer to request ${id}: ${JSON.stringify(messages).slice(0, 200)}`);
  return answer;
}
