// Parses the answers of `--answer JSON` and `--answers FILE`.
import { readFile } from "node:fs/promises";
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";

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
