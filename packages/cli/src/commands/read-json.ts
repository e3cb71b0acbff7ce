// A JSON file that the command line names.
import { readFile } from "node:fs/promises";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";

/** `parse` throws an Error for what it does not expect. Rejects with CommandError. */
export async function readJson<T>(file: string, parse: (value: unknown) => T): Promise<T> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandError(toFileProblem(file, error));
  });
  try {
    return parse(JSON.parse(text));
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}
