// lethe gateway doctor: looks for everything that keeps a gateway from working on this machine.
import { Command, InvalidArgumentError } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import {
  addAddressOptions,
  addConfigOptions,
  addWorkersOption,
  refuseWords,
} from "../gateway-command/gateway-options.ts";
import type { DoctorOptions } from "./run-gateway-doctor.ts";

export function createDoctorCommand(): Command {
  return addWorkersOption(addAddressOptions(addConfigOptions(new Command("doctor")), "the file's, else "))
    .description("look for everything that keeps a gateway from working, with cause and remedy")
    .option("--no-start", "do not start the servers")
    .option("--timeout <seconds>", "how long the servers may take to start", parseSeconds, 60)
    .option("--json", "print the findings as JSON on stdout")
    .addHelpText("after", help)
    .allowExcessArguments(true)
    .action(async (options: DoctorOptions, given: Command) => {
      refuseWords(given, "gateway doctor");
      const { runGatewayDoctor } = await import("./run-gateway-doctor.ts");
      await runGatewayDoctor(options);
    });
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 3_600) return seconds;
  throw new InvalidArgumentError(`expected seconds from 1 to 3600, got "${text}"`);
}

const help = `
Checks the configuration, ports, LETHE_KEYS, the clock and the settings of Redis or PostgreSQL, TLS certificates, the optional packages of
OTLP over gRPC, and the limits of this machine. Starts each server once, and ends it: --no-start leaves that out. Run it as
the account of the gateway, with its environment. It may run beside a gateway.

Examples:
  lethe gateway doctor --config servers.json
  lethe gateway doctor --config servers.json --no-start
  lethe gateway doctor --config servers.json --json | jq '.findings[] | select(.level != "ok")'

The JSON contains isHealthy and findings, each with area, level (ok, warning, problem), text, cause and remedy.
${exitCodeHelp(["usage", "the command is invalid, or there is a problem; warnings do not count"])}`;
