// lethe replay: serves a fixture file in place of the server that it was recorded from.
import { Command, Option } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { parsePort } from "./fixture-port.ts";
import type { ReplayCommandOptions } from "./run-replay.ts";
import { requireServerUrl } from "./server-url.ts";
import { toCommandTarget } from "./target.ts";

/** `server` is the command after "--", for --update. */
export function createReplayCommand(server: readonly string[] | undefined): Command {
  return new Command("replay")
    .description("serve a fixture file of `lethe record`, over stdio or HTTP")
    .usage("[options] <file>\n       lethe replay [options] --update <file> -- <command> [args...]")
    .argument("<file>", "the fixture file")
    .addOption(
      new Option("--port <port>", "serve http://127.0.0.1:<port>/mcp instead of stdio; 0 takes any").argParser(
        parsePort,
      ),
    )
    .option("--strict", "serve each recorded answer once, and fail at the end if requests and recording differ")
    .option("--update", "ask the server for requests that are not recorded, and add them to the file")
    .option("--to <url>", "for --update: the URL of the server")
    .addHelpText(
      "after",
      `
A request matches a recorded one with the same method and params. Ids, progress tokens and _meta do not count.
Equal requests get their answers in the recorded order, and then the last one again. A request without a match
fails with an error that shows the nearest recorded one.

Examples:
  lethe replay fixture.json
  lethe replay --strict --port 4000 fixture.json
  lethe replay --update fixture.json -- node server.js
${exitCodeHelp()}`,
    )
    .action(async (file: string, options: ReplayCommandOptions) => {
      const hasServer = server !== undefined || options.to !== undefined;
      if (options.update && !hasServer)
        throw new CommandError('--update needs a server: --to <url>, or a command after "--"');
      if (!options.update && hasServer) throw new CommandError("a server is only asked with --update");
      if (options.update && options.strict) throw new CommandError("--update and --strict exclude each other");
      if (options.to !== undefined) requireServerUrl(options.to);
      const { runReplay } = await import("./run-replay.ts");
      await runReplay(file, { ...options, target: server ? toCommandTarget(server) : options.to });
    });
}
