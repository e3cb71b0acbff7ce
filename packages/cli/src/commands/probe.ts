// lethe probe TARGET...: reports whether servers are stateless or stateful, with evidence.
import { Command, Option } from "commander";
import { collectHeader } from "./headers.ts";
import type { ProbeCommandOptions } from "./run-probe.ts";
import { collectVariable } from "./target.ts";
import { defaultStartTimeoutMs, eras, parseStartTimeout, parseTimeout } from "./timeout.ts";

/** `server` is the command after "--". */
export function createProbeCommand(server: readonly string[] | undefined): Command {
  return new Command("probe")
    .description("report whether a server is stateless or stateful, with evidence; calls no tool")
    .usage("[options] <url or name>...\n       lethe probe [options] -- <command> [args...]")
    .argument("[target...]", "URLs, and names of servers in --config")
    .option("--config <file>", "an mcpServers file or VS Code's mcp.json; without names, all its servers")
    .option("--header <name: value>", "sent with every request; may be given again", collectHeader)
    .option("--env <name=value>", "for a started server; NAME alone passes the variable on", collectVariable)
    .addOption(
      new Option("--timeout <seconds>", "time limit of each request").argParser(parseTimeout).default(5_000, "5"),
    )
    .addOption(
      new Option("--start-timeout <seconds>", "for a started server: time limit of its first answer")
        .argParser(parseStartTimeout)
        .default(defaultStartTimeoutMs, "60"),
    )
    .addOption(new Option("--era <era>", "the era to probe; auto: both").choices(eras).default("auto"))
    .addOption(
      new Option("--method <method>", "how to decide")
        .choices(["auto", "behaviour", "capabilities", "metadata"])
        .default("auto"),
    )
    .option("--replica <url>", "another URL of the same server: test whether a session continues there", collect)
    .option("--restart", "for a command: test whether a session continues in a new process")
    .option("--json", "print the report as JSON; an array for --config or several targets")
    .option("--markdown", "print the report as Markdown")
    .option("--html <file>", "also write the report as one HTML page, with the evidence step by step")
    .addOption(
      new Option("--expect <verdict>", "exit with 0 only if this is the verdict").choices(["stateless", "stateful"]),
    )
    .addHelpText("after", help)
    .action(async (words: string[], options: ProbeCommandOptions) => {
      const { runProbe } = await import("./run-probe.ts");
      await runProbe(words, server, options);
    });
}

const help = `
Examples:
  lethe probe http://localhost:3000/mcp --html report.html
  LETHE_TOKEN=TOKEN lethe probe https://example.com/mcp --expect stateless
  lethe probe --restart -- npx -y @modelcontextprotocol/server-everything

Environment:
  LETHE_TOKEN  sent as bearer token if the only target is a URL

Exit codes (of several targets, the highest):
   0  stateless, or as --expect says
   1  the command was not understood
  10  stateful, or not as --expect says
  20  unknown`;

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
