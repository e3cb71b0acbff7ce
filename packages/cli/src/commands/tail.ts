// lethe tail [URL]: follows the requests of a running gateway.
import { Command, Option } from "commander";
import { CommandError } from "../exit-code.ts";
import { type AdminOptions, adminEnvironmentHelp, withAdminOptions } from "./admin-options.ts";

export interface TailOptions extends AdminOptions {
  lines: number;
  log?: boolean;
  server?: string;
  caller?: string;
  method?: string;
  outcome?: string;
}

export function createTailCommand(): Command {
  return withAdminOptions(new Command("tail").description("follow the requests of a running gateway, until Ctrl-C"))
    .addOption(
      new Option("-n, --lines <count>", "earlier requests to show first").argParser(parseLines).default(10, "10"),
    )
    .option("--log", "also show the entries of its log")
    .option("--server <name>", "only requests to this server")
    .option("--caller <id>", "only requests of this caller")
    .option("--method <method>", "only requests of this method, such as tools/call")
    .option("--outcome <outcome>", "only requests with this outcome, such as error")
    .addHelpText("after", help)
    .action(async (url: string | undefined, options: TailOptions) => {
      const { runTail } = await import("./run-tail.ts");
      await runTail(url, options);
    });
}

function parseLines(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new CommandError(`--lines must be a whole number from 0 to 999999, got "${text}"`);
}

const help = `
After a lost connection it continues where it stopped. With --json, each request is one line.

Examples:
  lethe tail
  lethe tail --outcome error --server github
  lethe tail --json | jq -r .name
${adminEnvironmentHelp}

Exit codes:
  0  ended with Ctrl-C
  1  the command was not understood
  2  the gateway is unreachable, or refused the request`;
