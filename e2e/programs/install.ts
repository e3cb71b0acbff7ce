// Installs programs in other languages for tests, once per set of pins: a later run finds them in a cache folder. Where the
// runtime or the network is missing, the outcome says why, so that the test can be skipped with that reason.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** `LETHE_PROGRAMS` names another folder. */
const cache = process.env.LETHE_PROGRAMS ?? fileURLToPath(new URL("../../.cache/programs", import.meta.url));
const maxInstallMs = 600_000;

export type Installed =
  | { readonly folder: string; readonly reason?: undefined }
  | { readonly folder?: undefined; readonly reason: string };

/**
 * The folder that `install` filled for these pins, now or in an earlier run. A folder that could not be filled is removed.
 * Never rejects.
 */
export async function installOnce(
  kind: string,
  pins: readonly string[],
  install: (folder: string) => Promise<void>,
): Promise<Installed> {
  const digest = createHash("sha256").update(JSON.stringify(pins)).digest("hex").slice(0, 12);
  const folder = join(cache, `${kind}-${digest}`);
  if (existsSync(folder)) return { folder };
  let own: string | undefined;
  try {
    await mkdir(cache, { recursive: true });
    own = await mkdtemp(`${folder}.`);
    await install(own);
    await rename(own, folder);
    return { folder };
  } catch (error) {
    if (own !== undefined) await rm(own, { recursive: true, force: true });
    // Another worker may have been faster.
    return existsSync(folder) ? { folder } : { reason: reasonOf(error) };
  }
}

/** Runs a command of the installation and returns what it prints. Rejects with its last line of stderr. */
export function installWith(command: string, ...args: string[]): Promise<string> {
  return installIn({}, command, ...args);
}

/** The same with more environment. */
export async function installIn(env: Record<string, string>, command: string, ...args: string[]): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout: maxInstallMs, maxBuffer: 64 * 1024 * 1024 };
  return (await run(command, args, options)).stdout;
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim().split("\n").at(-1) || message;
}
