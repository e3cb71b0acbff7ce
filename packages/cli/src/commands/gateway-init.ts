// lethe gateway init: writes a commented configuration file as a start.
import { writeFile } from "node:fs/promises";
import { exampleConfig } from "@lethe/gateway";
import { Command } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { printJson } from "../output/print.ts";

export function createInitCommand(): Command {
  return new Command("init")
    .description("write a commented configuration file as a start")
    .argument("[file]", "path of the file; an existing file is not changed", "lethe.json")
    .option("--json", "print the path of the file as JSON")
    .addHelpText("after", `\nExample:\n  lethe gateway init && lethe gateway --config lethe.json\n${exitCodeHelp()}`)
    .action(async (file: string, { json }: { json?: boolean }) => {
      await writeFile(file, exampleConfig, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          error.code === "EEXIST" ? `${file} exists already` : `${file} cannot be written (${error.code})`,
        );
      });
      if (json) printJson({ file });
      else process.stdout.write(`Wrote ${file}. Next:\n  lethe gateway --config ${file}\n`);
    });
}
