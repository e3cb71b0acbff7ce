// lethe gateway check: reports the problems of configuration files, or their contents.
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import {
  addAddressOptions,
  addConfigOptions,
  addWorkersOption,
  refuseWords,
} from "../gateway-command/gateway-options.ts";
import type { CheckOptions } from "./run-gateway-check.ts";

export function createCheckCommand(): Command {
  return addWorkersOption(addAddressOptions(addConfigOptions(new Command("check")), "the file's, else "))
    .description("report everything that would prevent a start, without starting a server")
    .option("--json", "print the report as JSON on stdout, also if there are problems")
    .addHelpText("after", help)
    .allowExcessArguments(true)
    .action(async (options: CheckOptions, given: Command) => {
      refuseWords(given, "gateway check");
      const { runGatewayCheck } = await import("./run-gateway-check.ts");
      await runGatewayCheck(options);
    });
}

const help = `
Examples:
  lethe gateway check --config servers.json
  lethe gateway check --config servers.json --workers auto
  lethe gateway check --config servers.json --json | jq -r '.problems[]'

The exit code is 1 if the configuration is invalid, or if a gateway with it would not start on this machine: the
program or folder of a server does not exist, a port is in use (give --port 0 beside a running gateway), or Redis
is unreachable, evicts keys, is a Cluster or denies a command, or PostgreSQL is unreachable, is a stand-by or denies the schema.

The JSON contains isValid, canStart, problems, notes and unstartable. For a valid configuration it also contains
obstacles, files, servers, settings, and redis or postgres.
The report contains the names of variables and headers, but not their values.
${exitCodeHelp()}`;
