// lethe gateway init: writes a configuration to begin with, which explains itself.
import { writeFile } from "node:fs/promises";
import { exampleConfig } from "@lethe/gateway";
import { Command } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";

export function createInitCommand(): Command {
  return new Command("init")
    .description("write a configuration file with comments, to begin with")
    .argument("[file]", "where; an existing file is left alone", "lethe.json")
    .addHelpText("after", `\nExample:\n  lethe gateway init && lethe gateway --config lethe.json\n${exitCodeHelp}`)
    .action(async (file: string) => {
      await writeFile(file, exampleConfig, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          error.code === "EEXIST" ? `${file} is there already` : `${file} cannot be written (${error.code})`,
        );
      });
      process.stdout.write(`${file} is written. Next:\n  lethe gateway --config ${file}\n`);
    });
}
