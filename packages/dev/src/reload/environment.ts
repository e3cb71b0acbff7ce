// Environment files: variables for the author's code. Those of the real environment win, as with `node --env-file`.
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";

export interface EnvironmentFiles {
  /** In order: later files win. */
  readonly files: readonly string[];
  /** Whether a missing file is an error. */
  readonly areRequired: boolean;
}

/** Rejects with an Error that names the file. */
export async function readEnvironment(
  { files, areRequired }: EnvironmentFiles,
  real: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const file of files) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && !areRequired) return "";
      throw new Error(`cannot read the environment file ${file}: ${error.code ?? error.message}`);
    });
    Object.assign(variables, parseEnv(text));
  }
  return Object.fromEntries(Object.entries(variables).filter(([name]) => real[name] === undefined));
}
