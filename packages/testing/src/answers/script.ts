// A script of answers: gives them in order to the input requests of a server, and reports answers that do not fit or are left over.
import type { Handlers, InputRequestContext } from "@lethe/client";
import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitFormParams,
  type ElicitResult,
  type ElicitUrlParams,
  type InputRequest,
  isInputResponseTo,
  type ListRootsResult,
  type Root,
} from "@lethe/protocol";
import type { Answer, Question } from "./answer.ts";

/** A kind of input request, by the name of its handler. */
export type InputKind = "elicit" | "elicitUrl" | "sample" | "roots";

/** All kinds of input requests. */
export const inputKinds: readonly InputKind[] = ["elicit", "elicitUrl", "sample", "roots"];

/** Questions of one client that are kept. Further ones fail. */
const maxQuestions = 10_000;

export class AnswerScript {
  readonly questions: Question[] = [];
  readonly #answers: readonly Answer[];
  #hasFailed = false;

  constructor(answers: readonly Answer[]) {
    this.#answers = answers;
  }

  /** The handlers of a client that declares `kinds`. `roots` are given without using an answer. */
  toHandlers(kinds: readonly InputKind[], roots: readonly Root[] | undefined): Handlers {
    const all: Required<Handlers> = {
      elicit: (params, context) => this.#answer<ElicitResult>("elicitation/create", params, context),
      elicitUrl: (params, context) => this.#answer<ElicitResult>("elicitation/create", params, context),
      sample: (params, context) => this.#answer<CreateMessageResult>("sampling/createMessage", params, context),
      roots:
        roots ?? (async (context) => (await this.#answer<ListRootsResult>("roots/list", undefined, context)).roots),
    };
    return Object.fromEntries(kinds.map((kind) => [kind, all[kind]]));
  }

  /** Throws an Error if answers are left over. Silent after a failure that the test has seen already. */
  requireUsed(): void {
    const left = this.#answers.slice(this.questions.length);
    if (left.length === 0 || this.#hasFailed) return;
    const first = this.questions.length + 1;
    const unused = left.slice(0, shown).map((answer, index) => `\n  answer ${first + index}: ${describe(answer)}`);
    const asked = this.questions.slice(-shown).map((question) => `\n  ${nameOf(question)}`);
    const total = `${left.length} of ${this.#answers.length} scripted answers`;
    throw new Error(
      `${total} ${left.length === 1 ? "was" : "were"} not used:${unused.join("")}\n` +
        (asked.length === 0 ? "the server asked nothing" : `the server asked:${asked.join("")}`),
    );
  }

  async #answer<Result>(
    method: InputRequest["method"],
    params: Question["params"],
    context: InputRequestContext,
  ): Promise<Result> {
    const position = this.questions.length + 1;
    const question: Question = { position, method, message: messageOf(params), params, context };
    if (position > maxQuestions) throw this.#failure(question, `a client answers at most ${maxQuestions} questions`);
    this.questions.push(question);
    if (position > this.#answers.length) {
      throw this.#failure(question, `no answer is left: the script has ${countOf(this.#answers.length)}`);
    }
    const answer = this.#answers[position - 1] as Answer;
    const value = typeof answer === "function" ? await this.#decide(answer, question) : answer;
    if (isInputResponseTo(method, value)) return value as Result;
    throw this.#failure(question, `answer ${position} is ${describe(value)}; expected ${expected[method]}`);
  }

  async #decide(answer: Extract<Answer, (question: Question) => unknown>, question: Question): Promise<unknown> {
    try {
      return await answer(question);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  #failure(question: Question, problem: string): Error {
    this.#hasFailed = true;
    return new Error(`${nameOf(question)}: ${problem}`);
  }
}

/** Questions or answers that an error message lists. */
const shown = 20;
const shownCharacters = 200;

const expected: Readonly<Record<InputRequest["method"], string>> = {
  "elicitation/create": "accept(…), decline() or cancel()",
  "sampling/createMessage": "sampled(…)",
  "roots/list": "folders(…)",
};

function nameOf({ position, method, message, context }: Question): string {
  const text = message === "" ? "" : ` ${JSON.stringify(message.slice(0, shownCharacters))}`;
  return `question ${position}: ${method}${text} of ${context.method} "${context.target}"`;
}

function describe(answer: unknown): string {
  if (typeof answer === "function") return "a function";
  return (JSON.stringify(answer) ?? "undefined").slice(0, shownCharacters);
}

function countOf(answers: number): string {
  return `${answers} ${answers === 1 ? "answer" : "answers"}`;
}

function messageOf(params: ElicitFormParams | ElicitUrlParams | CreateMessageParams | undefined): string {
  if (params === undefined) return "";
  if ("message" in params) return params.message;
  const blocks = params.messages.flatMap(({ content }) => content);
  const last = blocks.findLast((block) => block.type === "text");
  return last?.type === "text" ? last.text : "";
}
