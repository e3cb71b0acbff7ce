// Reads a JSON file that the command line names.
import { readFile } from "node:fs/promises";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";
import { toPrintableLine } from "../terminal/printable.ts";

/** `parse` throws an Error for invalid content. `hint` explains how to create the file. Rejects with CommandError. */
export async function readJson<T>(file: string, parse: (value: unknown) => T, hint = ""): Promise<T> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandError(toFileProblem(file, error));
  });
  const suffix = hint === "" ? "" : `; ${hint}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${toPrintableLine((error as Error).message)}${suffix}`);
  }
  try {
    return parse(value);
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}${suffix}`);
  }
}
