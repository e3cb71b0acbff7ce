// Lets the user write text in the editor that VISUAL or EDITOR names, as git does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Editor {
  /** The first word of the command, such as "vim". */
  readonly name: string;
  /**
   * Resolves with the text that was saved, without its last line break. Rejects with an Error if the editor cannot start or fails, or with an
   * AbortError when the signal ends it.
   */
  edit(text: string, signal: AbortSignal): Promise<string>;
}

/** Returns undefined if no editor is set. */
export function editorFrom({ VISUAL, EDITOR }: Readonly<Record<string, string | undefined>>): Editor | undefined {
  const command = [VISUAL, EDITOR].find((one) => one !== undefined && one.trim() !== "")?.trim();
  if (command === undefined) return undefined;
  return { name: command.split(/\s/, 1)[0] ?? command, edit: (text, signal) => editFile(command, text, signal) };
}

/** Other accounts cannot read the file, which exists only until the editor ends. */
async function editFile(command: string, text: string, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-edit-"));
  const file = join(folder, "answer.txt");
  try {
    await writeFile(file, text === "" ? "" : `${text}\n`, { mode: 0o600 });
    const [code] = await once(start(command, file, signal), "exit");
    if (code !== 0) throw new Error(`${command} ended with ${code === null ? "a signal" : `exit code ${code}`}`);
    return (await readFile(file, "utf8")).replaceAll("\r\n", "\n").replace(/\n$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A shell reads the command, which may have arguments. Its stdout is the terminal of the prompts, because stdout is for results. */
function start(command: string, file: string, signal: AbortSignal) {
  const options = { stdio: ["inherit", 2, 2] as ["inherit", number, number], signal };
  if (process.platform === "win32") return spawn(`${command} "${file}"`, { ...options, shell: true });
  // The signal ends the process that the shell becomes.
  return spawn("/bin/sh", ["-c", `exec ${command} "$0"`, file], options);
}
