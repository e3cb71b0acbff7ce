// The folders in which the command stores files, one per kind.
import { homedir } from "node:os";
import { join } from "node:path";

export function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv, kind: string): string {
  return join(XDG_STATE_HOME || LOCALAPPDATA || join(homedir(), ".local", "state"), "lethe", kind);
}
