// The `create-lethe` command, which `npm create lethe` runs: creates a project and installs its packages.
import { completeAnswers } from "./answers.ts";
import { installPackages } from "./install-packages.ts";
import { findTarballs } from "./lethe-tarballs.ts";
import { helpText, parseOptions } from "./options.ts";
import { toPackageManager } from "./package-manager.ts";
import { toProjectFiles } from "./project-files.ts";
import { toReport } from "./report.ts";
import { requireEmptyFolder, writeProject } from "./target-folder.ts";
import { InstallError, UsageError } from "./usage-error.ts";
import { versions } from "./versions.ts";

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = error instanceof InstallError ? 2 : 1;
  const isExpected = error instanceof UsageError || error instanceof InstallError;
  const { message, stack } = error as Error;
  process.stderr.write(`error: ${isExpected ? message : `a defect of create-lethe: ${stack ?? message}`}\n`);
}

async function run(words: string[]): Promise<void> {
  const options = parseOptions(words, process.env);
  if (options.help) return void process.stdout.write(helpText);
  if (options.version) return void process.stdout.write(`${versions.lethe}\n`);
  // Checked before the first prompt, so that no answer is typed in vain.
  const tarballs = options.letheFrom === undefined ? undefined : await findTarballs(options.letheFrom);
  if (options.folder !== undefined) await requireEmptyFolder(options.folder);
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true && !options.yes && !options.json;
  const answers = await completeAnswers(options, isInteractive);
  if (answers === undefined) {
    process.exitCode = 130;
    return;
  }
  const manager = options.packageManager ?? toPackageManager(process.env.npm_config_user_agent);
  const files = await toProjectFiles({ ...answers, manager, tarballs });
  const folder = await writeProject(answers.folder, files);
  if (answers.install) await installPackages(manager, folder, options.json);
  process.stdout.write(toReport({ ...answers, folder, manager, files: [...files.keys()] }, options.json));
}
