// Whether the program of a local server is on this machine, looked for as the system does when it starts one.
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";

export interface CommandSurroundings {
  /** Where the server starts. Relative paths, in PATH too, are relative to it. */
  cwd: string;
  /** The server's PATH. */
  path: string;
  platform?: NodeJS.Platform;
  /** Windows: what a command may leave out. Default: PATHEXT of this process. */
  extensions?: string;
}

export function hasCommand(command: string, surroundings: CommandSurroundings): boolean {
  const { cwd, path, platform = process.platform } = surroundings;
  const isWindows = platform === "win32";
  const folders = isPath(command, platform) ? [""] : path.split(isWindows ? ";" : ":");
  const endings = isWindows ? endingsOf(command, surroundings) : [""];
  return folders.some((folder) => endings.some((ending) => isProgram(resolve(cwd, folder, command + ending))));
}

/** Not looked for in PATH. */
export function isPath(command: string, platform: NodeJS.Platform = process.platform): boolean {
  return command.includes("/") || (platform === "win32" && command.includes("\\"));
}

function endingsOf(command: string, { extensions = process.env.PATHEXT }: CommandSurroundings): string[] {
  const known = (extensions ?? ".EXE;.CMD;.BAT;.COM").split(";");
  return command.includes(".") ? ["", ...known] : known;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
