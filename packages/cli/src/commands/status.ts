// lethe status [URL]: shows what a running gateway does.
import { Command } from "commander";
import { type AdminOptions, adminEnvironmentHelp, withAdminOptions } from "./admin-options.ts";

export function createStatusCommand(): Command {
  return withAdminOptions(new Command("status").description("show the state of a running gateway and its servers"))
    .addHelpText("after", help)
    .action(async (url: string | undefined, options: AdminOptions) => {
      const { runStatus } = await import("./run-status.ts");
      await runStatus(url, options);
    });
}

const help = `
Examples:
  lethe status
  lethe status https://gateway.example.com
  lethe status --json | jq .health.problems
${adminEnvironmentHelp}

Exit codes:
   0  the gateway is ready, and none of its servers has failed
   1  the command was not understood
   2  the gateway is unreachable, or refused the request
  10  the gateway is not ready, or a server has failed`;
