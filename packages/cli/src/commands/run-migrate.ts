// Runs a migration over files: finds them, shows or writes the changes, and reports what is left to do.
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { type Finding, type Migration, migrateSource } from "@lethe/migrate";
import { createTwoFilesPatch } from "diff";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";
import { createStyle } from "../terminal/style.ts";
import { findSources } from "./migrate-sources.ts";

export interface MigrateCommandOptions {
  readonly write?: boolean;
  readonly hideErrors?: boolean;
  readonly json?: boolean;
}

interface MigratedFile {
  readonly path: string;
  readonly before: string;
  readonly migration: Migration;
}

export async function runMigrate(paths: readonly string[], options: MigrateCommandOptions): Promise<void> {
  const files: MigratedFile[] = [];
  for (const path of await findSources(paths)) {
    const before = await readFile(path, "utf8").catch((error) => fail(path, error));
    const migration = migrate(path, before, options);
    if (migration.from !== undefined) files.push({ path, before, migration });
  }
  if (options.write) for (const file of files) await write(file);
  if (options.json) process.stdout.write(`${JSON.stringify({ files: files.map(toJson) }, null, 2)}\n`);
  else process.stdout.write(toText(files, options));
}

function migrate(path: string, text: string, { hideErrors }: MigrateCommandOptions): Migration {
  try {
    return migrateSource(text, { path, exposeErrors: hideErrors !== true });
  } catch (error) {
    throw new CommandError(`${path} cannot be parsed: ${(error as Error).message}`);
  }
}

async function write({ path, migration }: MigratedFile): Promise<void> {
  await writeFile(path, migration.text).catch((error) => fail(path, error));
}

function fail(path: string, error: unknown): never {
  throw new CommandError(toFileProblem(path, error));
}

function toJson({ path, before, migration }: MigratedFile) {
  const { from, findings, text } = migration;
  return { path, from, isChanged: text !== before, findings };
}

function toText(files: readonly MigratedFile[], { write }: MigrateCommandOptions): string {
  if (files.length === 0) return "No file imports the official SDK or fastmcp.\n";
  const diffs = write ? [] : files.map(toDiff);
  const { bold, yellow } = createStyle(process.stdout);
  const changed = files.filter(({ before, migration }) => before !== migration.text).length;
  const left = files.flatMap(({ path, migration }) => migration.findings.map((finding) => toLine(path, finding)));
  const summary = `${changed} ${changed === 1 ? "file" : "files"} ${write ? "changed" : "would change"}.`;
  const next = write
    ? "Next: npm install @lethe/server zod && npm uninstall @modelcontextprotocol/sdk, then run your tests."
    : "Nothing is written yet: run again with --write.";
  const todo =
    left.length === 0 ? [] : [yellow(`Finish by hand (${left.length}):`), ...left.map((line) => `  ${line}`)];
  return `${[...diffs, bold(summary), ...todo, next].join("\n")}\n`;
}

function toDiff({ path, before, migration }: MigratedFile): string {
  const name = relative(process.cwd(), path);
  return createTwoFilesPatch(name, name, before, migration.text, "", "", { context: 2 });
}

function toLine(path: string, { line, message }: Finding): string {
  return `${relative(process.cwd(), path)}:${line}: ${message}`;
}
