// lethe top [URL]: shows the traffic of a running gateway, redrawn in place.
import { Command, Option } from "commander";
import { type AdminOptions, adminEnvironmentHelp, withAdminOptions } from "./admin-options.ts";
import { parseInterval } from "./timeout.ts";

export interface TopOptions extends AdminOptions {
  interval: number;
}

export function createTopCommand(): Command {
  return withAdminOptions(new Command("top").description("show the traffic of a running gateway, until Ctrl-C"))
    .addOption(
      new Option("--interval <seconds>", "time between two updates").argParser(parseInterval).default(2_000, "2"),
    )
    .addHelpText("after", help)
    .action(async (url: string | undefined, options: TopOptions) => {
      const { runTop } = await import("./run-top.ts");
      await runTop(url, options);
    });
}

const help = `
The busiest servers come first, and the last requests of all replicas are below them. With --json, each update is one line.

Examples:
  lethe top
  lethe top http://localhost:9090 --interval 1
  lethe top --json | jq .overview.recent
${adminEnvironmentHelp}

Exit codes:
  0  ended with Ctrl-C
  1  the command was not understood
  2  the gateway is unreachable, or refused the request`;
