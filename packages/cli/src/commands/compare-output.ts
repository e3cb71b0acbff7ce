// Writes the results of `lethe compare` to stdout, an HTML page, or a folder of archives.
import { access, constants, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Comparison, toHar, toHtml, toMarkdown, toReport, toText } from "@lethe/compare";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";
import { print } from "../output/print.ts";
import { createStyle } from "../terminal/style.ts";

export interface OutputOptions {
  json?: boolean;
  markdown?: boolean;
  html?: string;
  har?: string;
}

/** Checks the output paths before the comparison starts. */
export async function requireFolders({ html, har }: Pick<OutputOptions, "html" | "har">): Promise<void> {
  for (const file of [html, har]) {
    if (file === undefined) continue;
    const folder = dirname(resolve(file));
    await access(folder, constants.W_OK).catch((error: unknown) => {
      throw new CommandError(`cannot write ${file}: ${toFileProblem(folder, error)}`);
    });
  }
  if (html !== undefined && (await isFolder(html))) throw new CommandError(`cannot write ${html}: it is a folder`);
  if (har !== undefined && (await isFolder(har)) === false) {
    throw new CommandError(`--har needs a folder, and ${har} is a file`);
  }
}

/** Returns undefined if the path does not exist. */
async function isFolder(path: string): Promise<boolean | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory();
}

export async function writeReport(comparison: Comparison, options: OutputOptions): Promise<void> {
  const { html, har } = options;
  const written: string[] = [];
  if (html !== undefined) {
    await writeFileOrFail(html, toHtml(comparison));
    written.push(html);
  }
  if (har !== undefined) {
    await makeFolder(har);
    for (const recording of comparison.recordings) {
      if (recording.transport !== "http") continue;
      const file = join(har, `${recording.id}.har`);
      await writeFileOrFail(file, JSON.stringify(toHar(recording), null, 1));
      written.push(file);
    }
  }
  if (options.json || options.markdown) print(toOutput(comparison, options));
  else process.stdout.write(toOutput(comparison, options));
  for (const file of written) process.stderr.write(createStyle(process.stderr).dim(`wrote ${file}\n`));
}

function toOutput(comparison: Comparison, { json, markdown }: OutputOptions): string {
  const report = toReport(comparison);
  if (json) return `${JSON.stringify({ ...comparison, report }, null, 1)}\n`;
  if (markdown) return toMarkdown(report);
  return toText(report, { paint: createStyle(process.stdout), width: Math.min(process.stdout.columns ?? 100, 140) });
}

export async function writeFileOrFail(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new CommandError(`cannot write ${toFileProblem(file, error)}`);
  });
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw new CommandError(`cannot make the folder ${toFileProblem(folder, error)}`);
  });
}
