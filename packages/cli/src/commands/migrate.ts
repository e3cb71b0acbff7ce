// lethe migrate: rewrites servers of the official SDK and of fastmcp to Lethe.
import { Command } from "commander";
import { migrateExitCodeHelp } from "../exit-code.ts";
import type { MigrateCommandOptions } from "./run-migrate.ts";

export function createMigrateCommand(): Command {
  return new Command("migrate")
    .description("rewrite a server of the official SDK (v1, v2) or of fastmcp to Lethe")
    .argument("[path...]", "files and folders", ["."])
    .option("--write", "change the files; without it, the changes are only shown")
    .option("--hide-errors", "clients get an error id instead of the message of an error, unless it is a ToolError")
    .option("--json", "print the report as JSON on stdout")
    .addHelpText("after", help)
    .action(async (paths: string[], options: MigrateCommandOptions) => {
      const { runMigrate } = await import("./run-migrate.ts");
      await runMigrate(paths, options);
    });
}

const help = `
Examples:
  lethe migrate src            shows the changes as a diff
  lethe migrate src --write    makes them
  lethe migrate src --json | jq '.files[].findings'

Definitions, handlers, input requests, notifications and stdio are rewritten. The report lists by line what a person has to
decide, such as sessions and HTTP routes. Folders named node_modules, dist or build, and hidden ones, are left out.
docs/migration.md describes each change.
${migrateExitCodeHelp}`;
