// lethe gateway: serves the servers of configuration files at one stateless endpoint.
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { toGatewayBanner } from "../gateway-command/banner.ts";
import {
  addConfigOptions,
  addListenOptions,
  addWorkersOption,
  type ConfigOptions,
  refuseWords,
} from "../gateway-command/gateway-options.ts";
import { receiveHangUps } from "../gateway-command/hang-ups.ts";
import type { RunOptions } from "../gateway-command/run-gateway.ts";
import { createCheckCommand } from "./gateway-check.ts";
import { createDoctorCommand } from "./gateway-doctor.ts";
import { createInitCommand } from "./gateway-init.ts";
import { createSchemaCommand } from "./gateway-schema.ts";

interface GatewayCommandOptions extends ConfigOptions, RunOptions {
  failFast?: boolean;
}

export function createGatewayCommand(): Command {
  const command = new Command("gateway")
    .description("put any mix of MCP servers behind one stateless endpoint")
    .enablePositionalOptions();
  return addWorkersOption(addListenOptions(addConfigOptions(command), "the file's, else "))
    .option("--no-watch", "do not reload the files when they change")
    .option("--fail-fast", "end if a server does not start, instead of retrying")
    .addHelpText(
      "after",
      `
All servers together answer at /mcp, with tool and prompt names prefixed (files__read_text_file);
each one alone answers at /mcp/NAME under its own names. /healthz and /readyz are for load balancers,
/metrics and /admin/v1 for operators: from this machine, or with the key of gateway.admin.
Several gateways with the same LETHE_KEYS and one Redis (gateway.redis, or LETHE_REDIS_URL) take any request each. So do
those with one PostgreSQL (gateway.postgres, or LETHE_POSTGRES_URL). --workers uses several cores of this machine,
without either.
Printed at the start: what each server is, stateless or stateful, and what follows from it.

The files of Claude Desktop, Claude Code, Cursor, VS Code and others work unchanged. A "gateway" block beside
"mcpServers" sets access rules, limits and more; \`lethe gateway init\` writes one with comments.
A changed file is applied at once and touches only the servers that differ; SIGHUP does the same.

Examples:
  lethe gateway --config servers.json --port 8080 --workers auto
  lethe gateway --config .vscode/mcp.json --input api-key=$API_KEY
  lethe gateway check --config servers.json
${exitCodeHelp(["unreachable", "the gateway could not start, or not listen"])}`,
    )
    .allowExcessArguments(true)
    .action(async (options: GatewayCommandOptions, given: Command) => {
      refuseWords(given, "gateway");
      const hangUps = receiveHangUps();
      const { loadConfig } = await import("../gateway-command/load-config.ts");
      const { runGateway } = await import("../gateway-command/run-gateway.ts");
      const { toFailedServers } = await import("../gateway-command/failed-servers.ts");
      await runGateway(options, {
        hangUps,
        load: () => loadConfig(options),
        toBanner: toGatewayBanner,
        ...(options.failFast && { toFailure: toFailedServers }),
      });
    })
    .addCommand(createCheckCommand())
    .addCommand(createDoctorCommand())
    .addCommand(createInitCommand())
    .addCommand(createSchemaCommand());
}
