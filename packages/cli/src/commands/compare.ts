// lethe compare [TARGET]: runs one script over every transport of a server, and shows the recorded messages.
import { Command, Option } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { type CompareCommandOptions, collectServer, parseRuns } from "./compare-options.ts";
import { collectHeader } from "./headers.ts";
import { collectVariable } from "./target.ts";
import { parseStartTimeout, parseTimeout, startTimeoutHelp } from "./timeout.ts";

/** `server` is the command after "--". */
export function createCompareCommand(server: readonly string[] | undefined): Command {
  return new Command("compare")
    .description("run one script over every transport of a server and show what crosses the wire")
    .usage(
      "[options] [url...]\n       lethe compare [options] -- <command> [args...]\n       lethe compare <a.json> [b.json]",
    )
    .argument(
      "[target...]",
      "URLs, and names of servers in --config; none for the built-in server; one JSON report to show it again, two to compare them",
    )
    .option("--server <name=url>", "a server and its name in the report; may be given again", collectServer)
    .option("--config <file>", "an mcpServers file or VS Code's mcp.json: all its servers, or the named ones")
    .option("--script <file>", 'a JSON file of steps; "minimal" connects, lists the tools and calls one')
    .option("--call-all", "without a script: also call tools that are not annotated as read-only")
    .option("--tool <name>", "without a script: call only this tool; may be given again", collectTool)
    .addOption(
      new Option(
        "--runs <number>",
        "repeat the script for times with their spread (default: 1; 5 for the built-in server)",
      ).argParser(parseRuns),
    )
    .option("--markdown", "print the report as Markdown, with every exchange")
    .option("--json", "print everything as one JSON object, recordings included")
    .option("--html <file>", "also write the report as one HTML page")
    .option("--har <folder>", "also write an HTTP Archive for each HTTP transport")
    .option(
      "--header <name: value>",
      "sent with every request, masked in the report; may be given again",
      collectHeader,
    )
    .option(
      "--env <name=value>",
      "for a started server, masked in the report; NAME alone passes the variable on",
      collectVariable,
    )
    .addOption(
      new Option("--timeout <seconds>", "time limit of each step").argParser(parseTimeout).default(10_000, "10"),
    )
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .option("--record <port>", "only record: listen on this port and forward everything to --to until stopped")
    .option("--to <url>", "the URL to which --record forwards everything")
    .addHelpText("after", help)
    .action(async (words: string[], options: CompareCommandOptions) => {
      const { runCompare } = await import("./run-compare.ts");
      await runCompare(words, server, options);
    });
}

const help = `
Without a script, every feature that the server declares is tried, and its read-only tools are called with arguments that are
generated from their schemas. Several targets share one table.

Examples:
  lethe compare --html report.html
  lethe compare --server stateful=http://localhost:3000/mcp --server stateless=http://localhost:3001/mcp
  lethe compare --record 4000 --to http://localhost:3000/mcp --json > recording.json
${exitCodeHelp("unreachable")}`;

function collectTool(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}
