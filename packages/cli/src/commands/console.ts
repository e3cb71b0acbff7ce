// lethe console URL: the web console of a gateway elsewhere, served on this machine.
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { collectHeader } from "./headers.ts";

export interface ConsoleCommandOptions {
  port?: string;
  header?: Record<string, string>;
}

export function createConsoleCommand(): Command {
  return new Command("console")
    .description("open the web console of a remote gateway, or a playground for any MCP server")
    .argument("<url>", "the address of the gateway, or the URL of its MCP endpoint")
    .option("--port <port>", "the local port (default: a free one)")
    .option("--header <name: value>", "sent with every request to the gateway; may be given again", collectHeader)
    .addHelpText(
      "after",
      `
Serves the console at an address of this machine, and forwards its requests to that gateway only. The page asks for the key
of gateway.admin. A gateway's own console is at /console. A server without an administration gets the playground alone.

Examples:
  lethe console https://mcp.example.com
  lethe console http://localhost:3000/mcp
${exitCodeHelp("unreachable")}`,
    )
    .action(async (url: string, options: ConsoleCommandOptions) => {
      const { runConsole } = await import("./run-console.ts");
      await runConsole(url, options);
    });
}
