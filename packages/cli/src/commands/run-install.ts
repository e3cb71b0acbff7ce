// Runs `lethe install`: computes the change, shows it, asks, and writes it.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { CommandError } from "../exit-code.ts";
import { type ClientFormat, clients, type InstallTarget, type Scope } from "../install/clients.ts";
import { toLineDiff } from "../install/line-diff.ts";
import { toServerName } from "../install/server-name.ts";
import { backupOf, readSettings, restoreSettings, writeSettings } from "../install/settings-file.ts";
import { requireConsent, showDiff } from "../install/show-change.ts";
import { printJson } from "../output/print.ts";
import { requireServerUrl } from "./server-url.ts";

export interface InstallOptions {
  name?: string;
  scope: Scope;
  env?: Record<string, string>;
  header?: Record<string, string>;
  yes?: boolean;
  dryRun?: boolean;
  undo?: boolean;
  json?: boolean;
  home?: string;
}

interface Words {
  readonly client: string;
  readonly url: string | undefined;
  readonly server: readonly string[] | undefined;
}

/** Rejects with CommandError. */
export async function runInstall(words: Words, options: InstallOptions): Promise<void> {
  const { client, file } = findClientFile(words.client, options);
  const before = await readSettings(file);
  const after = options.undo ? await readBackup(file) : await toChanged(client, { file, before, words, options });
  const diff = toLineDiff(before ?? "", after);
  const isWritten = diff.length > 0 && !options.dryRun;
  if (!options.json) showDiff(file, diff);
  if (isWritten) {
    if (!options.yes) await requireConsent(file);
    if (options.undo) await restoreSettings(file, after);
    else await writeSettings(file, before, after);
  }
  if (options.json)
    printJson({
      client: words.client,
      file,
      isWritten,
      diff,
      ...(isWritten && !options.undo && { backup: backupOf(file) }),
    });
  else if (isWritten) process.stdout.write(options.undo ? `Restored ${file}.\n` : toNext(file, words.client));
}

/** Throws CommandError for an unknown client, or one without settings for the scope. */
export function findClientFile(
  name: string,
  { scope, home }: Pick<InstallOptions, "scope" | "home">,
): { client: ClientFormat; file: string } {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (!client) {
    throw new CommandError(`the client must be one of ${Object.keys(clients).join(", ")}, got "${name}"`);
  }
  const folder = home === undefined ? homedir() : resolve(home);
  const machine = { platform: process.platform, home: folder, cwd: process.cwd(), environment: process.env };
  const file = client.file(scope, machine);
  if (file === undefined) throw new CommandError(`${name} has no settings for a project; omit --scope`);
  return { client, file };
}

function toNext(file: string, client: string): string {
  return `Wrote ${file}. Restart ${client} to use the server. To undo: lethe install ${client} --undo\n`;
}

async function readBackup(file: string): Promise<string> {
  const backup = await readSettings(backupOf(file));
  if (backup === undefined) throw new CommandError(`nothing to undo: there is no ${backupOf(file)}`);
  return backup;
}

interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly words: Words;
  readonly options: InstallOptions;
}

async function toChanged(client: ClientFormat, { file, before = "", words, options }: Change): Promise<string> {
  const target = toTarget(words, options);
  return await setServer(client, { file, before, name: options.name ?? toServerName(target), target });
}

interface ServerChange {
  readonly file: string;
  readonly before: string;
  readonly name: string;
  readonly target: InstallTarget;
}

/** Resolves with the content of the file with the server. */
export async function setServer(client: ClientFormat, { file, before, name, target }: ServerChange): Promise<string> {
  requireName(name);
  const entry = client.toEntry(target);
  if (client.format === "json") {
    const { setInJson } = await import("../install/edit-json.ts");
    return setInJson(file, before, [client.key, name], entry);
  }
  const { setInToml } = await import("../install/edit-toml.ts");
  return setInToml(file, before, [client.key, name], entry);
}

function requireName(name: string): void {
  if (/^[\w-]{1,64}$/.test(name)) return;
  throw new CommandError(`a name has 1 to 64 letters, digits, "-" or "_", got "${name}"; give another --name`);
}

function toTarget({ url, server }: Words, { env = {}, header = {} }: InstallOptions): InstallTarget {
  if (server) {
    const [command = "", ...args] = server;
    // Options and package names stay, existing files get their whole path.
    const absolute = args.map((word) => (!word.startsWith("-") && existsSync(word) ? resolve(word) : word));
    return { command: command.includes("/") ? resolve(command) : command, args: absolute, env };
  }
  if (url === undefined) throw new CommandError('a URL is expected, or a command after "--"');
  requireServerUrl(url);
  return { url, headers: header };
}
