// lethe dev: runs the server of a file, and reloads its code when it changes.
import { Command } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { addAddressOptions } from "../gateway-command/gateway-options.ts";
import type { DevCommandOptions } from "./run-dev.ts";

/** `args` are the words after "--". */
export function createDevCommand(args: readonly string[] | undefined): Command {
  const command = new Command("dev")
    .description("run a server while you write it: a saved change is served at once")
    .usage("[options] <file> [-- args...]")
    .argument("<file>", "the TypeScript or JavaScript file of the server")
    .option("--stdio", "serve the program that starts this command, over stdin and stdout");
  return addAddressOptions(command, "that of serve in the file, else ")
    .option("--open", "open the web console in the browser")
    .option("--env-file <file>", "variables for the code; may be given again (default: .env, if there is one)", collect)
    .option("--no-env-file", "read no .env")
    .option("--watch <file>", "also reload when this file changes; may be given again", collect)
    .addHelpText(
      "after",
      `
The file exports the server (export default createServer(…)), or passes it to serve or serveStdio. It and every file
that it imports are watched, except for node_modules. The port, the keys, sessions and open streams stay the same over a
reload; running calls finish on the old code, and pending calls continue on the new one. Clients are told which lists
changed. Code that does not load keeps the old code in use, and its error is shown. Words after -- are arguments of the file.
The web console at /console calls the server from a browser of this machine.

Examples:
  lethe dev src/server.ts --open
  lethe dev src/main.ts --port 8080 -- --verbose
  lethe dev src/server.ts --stdio
${exitCodeHelp(["unreachable", "the port is in use"])}`,
    )
    .action(async (file: string, options: DevCommandOptions, given: Command) => {
      const [, extra] = given.args;
      if (extra !== undefined) throw new CommandError(`lethe dev takes one file; arguments of it follow --: ${extra}`);
      const { runDev } = await import("./run-dev.ts");
      await runDev(file, args ?? [], options);
    });
}

function collect(file: string, before: readonly string[] | boolean = []): string[] {
  return [...(Array.isArray(before) ? (before as string[]) : []), file];
}
