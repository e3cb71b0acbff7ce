// Answers from the command line or a file. Each input request uses the first unused answer that fits.
import { readFile } from "node:fs/promises";
import { checkContent, type FormContent, fillDefaults } from "@lethe/client";
import {
  type CreateMessageResult,
  type ElicitFormParams,
  type ElicitResult,
  isCreateMessageResult,
  isElicitResult,
  isJsonObject,
  type JsonObject,
  nameOf,
} from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";
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

/** For `--answer`. */
export function collectAnswer(text: string, before: readonly JsonObject[] = []): JsonObject[] {
  return [...before, ...parseAnswers("--answer", text)];
}

/** For `--answers FILE`: one answer, or an array of them. */
export async function readAnswersFile(path: string): Promise<JsonObject[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandError(`--answers ${toFileProblem(path, error)}`);
  });
  return parseAnswers(path, text);
}

function parseAnswers(source: string, text: string): JsonObject[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${source} is not JSON: ${(error as Error).message}; write it like '{"name": "Ada"}'`);
  }
  return [value].flat().map((answer: unknown) => {
    if (isJsonObject(answer)) return answer;
    throw new CommandError(`${source} must be a JSON object, such as {"name": "Ada"}, got ${nameOf(answer)}`);
  });
}
