// Answers from the command line or a file. Each input request uses the first unused answer that fits.
import { checkContent, type FormContent, fillDefaults } from "@lethe/client";
import {
  type CreateMessageResult,
  type ElicitFormParams,
  type ElicitResult,
  isCreateMessageResult,
  isElicitResult,
  type JsonObject,
} from "@lethe/protocol";
import { toSampled } from "./ask-sampling.ts";

export interface GivenAnswers {
  /** Returns undefined if no answer fits. */
  takeForm(params: ElicitFormParams): ElicitResult | undefined;
  takeUrl(): ElicitResult | undefined;
  takeSampling(): CreateMessageResult | undefined;
  /** Returns why the first unused answer does not fit a form. */
  misfitOf(params: ElicitFormParams): string | undefined;
  readonly unused: readonly JsonObject[];
}

export function createGivenAnswers(answers: readonly JsonObject[]): GivenAnswers {
  const unused = [...answers];

  function take<T>(read: (answer: JsonObject) => T | undefined): T | undefined {
    for (const [index, answer] of unused.entries()) {
      const taken = read(answer);
      if (taken === undefined) continue;
      unused.splice(index, 1);
      return taken;
    }
    return undefined;
  }

  return {
    takeForm(params) {
      return take((answer) => {
        const result = toFormResult(answer);
        return result.action !== "accept" || misfit(params, result) === undefined ? result : undefined;
      });
    },
    takeUrl: () => take((answer) => (isBareResult(answer) ? { action: answer.action } : undefined)),
    takeSampling() {
      return take((answer) => {
        if (isCreateMessageResult(answer)) return answer;
        return typeof answer.text === "string" ? toSampled(answer.text) : undefined;
      });
    },
    misfitOf(params) {
      const [first] = unused;
      const problem = first && misfit(params, toFormResult(first));
      return problem && `${JSON.stringify(first)} does not fit: ${problem}`;
    },
    unused,
  };
}

/** `{ action, content? }` is a complete response. Any other object is the content of a form. */
function toFormResult(answer: JsonObject): ElicitResult {
  return isBareResult(answer) ? answer : { action: "accept", content: answer as FormContent };
}

function isBareResult(answer: JsonObject): answer is JsonObject & ElicitResult {
  return isElicitResult(answer) && Object.keys(answer).every((key) => key === "action" || key === "content");
}

function misfit({ requestedSchema }: ElicitFormParams, { content = {} }: ElicitResult): string | undefined {
  const stranger = Object.keys(content).find((field) => !Object.hasOwn(requestedSchema.properties, field));
  if (stranger !== undefined) return `the form has no field "${stranger}"`;
  return checkContent(requestedSchema, fillDefaults(requestedSchema, content));
}
