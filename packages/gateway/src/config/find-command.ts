// Finds the program of a local server on this machine, as the system does when it starts one.
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";

export interface CommandSurroundings {
  /** The working directory of the server. Relative paths, also those in PATH, are relative to it. */
  cwd: string;
  /** The server's PATH. */
  path: string;
  platform?: NodeJS.Platform;
  /** On Windows: the extensions that a command may omit. Default: PATHEXT of this process. */
  extensions?: string;
}

export function hasCommand(command: string, surroundings: CommandSurroundings): boolean {
  const { cwd, path, platform = process.platform } = surroundings;
  const isWindows = platform === "win32";
  const folders = isPath(command, platform) ? [""] : path.split(isWindows ? ";" : ":");
  const endings = isWindows ? endingsOf(command, surroundings) : [""];
  return folders.some((folder) => endings.some((ending) => isProgram(resolve(cwd, folder, command + ending))));
}

/** A path is not looked up in PATH. */
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
