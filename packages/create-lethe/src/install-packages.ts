// Installs the packages of a project with its package manager.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { commandsOf, type PackageManager } from "./package-manager.ts";
import { InstallError } from "./usage-error.ts";

/** Rejects with InstallError. `isQuiet` keeps stdout free for JSON. */
export async function installPackages(manager: PackageManager, folder: string, isQuiet: boolean): Promise<void> {
  const { install } = commandsOf[manager];
  if (!isQuiet) process.stdout.write(`Installing packages: ${install}\n`);
  // A shell finds the .cmd files of Windows. The command is constant.
  const child = spawn(install, {
    cwd: folder,
    shell: true,
    stdio: ["ignore", isQuiet ? "ignore" : "inherit", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw new InstallError(`"${install}" failed in ${folder}. The project is complete: run the command again there.`);
}
