// Reads the file of an argument key=@file.
import { readFile, stat } from "node:fs/promises";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";

/** A server rejects larger requests by default. */
const maxBytes = 4 * 1024 * 1024;

/** Rejects with CommandError if the file cannot be read, is larger than 4 MiB, or is not UTF-8. */
export async function readArgumentFile(path: string, key: string): Promise<string> {
  let bytes: Buffer;
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new CommandError(`${path} for "${key}" has ${size} bytes; at most ${maxBytes} are sent`);
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(toFileProblem(path, error));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${path} for "${key}" is not UTF-8 text`);
  }
}
