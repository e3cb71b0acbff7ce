// The `lethe` program: its description and all of its commands. The documentation lists the same.
import { Command } from "commander";
import { createAddCommand } from "./commands/add.ts";
import { createBridgeCommand } from "./commands/bridge.ts";
import { callCommand } from "./commands/call.ts";
import { type ClientCommand, createClientCommand } from "./commands/client-command.ts";
import { createCompareCommand } from "./commands/compare.ts";
import { createCompletionCommand } from "./commands/completion.ts";
import { createConsoleCommand } from "./commands/console.ts";
import { createDevCommand } from "./commands/dev.ts";
import { createGatewayCommand } from "./commands/gateway.ts";
import { createInstallCommand } from "./commands/install.ts";
import { listCommand } from "./commands/list.ts";
import { createMigrateCommand } from "./commands/migrate.ts";
import { createProbeCommand } from "./commands/probe.ts";
import { promptCommand } from "./commands/prompt.ts";
import { readCommand } from "./commands/read.ts";
import { createRecordCommand } from "./commands/record-fixture.ts";
import { createReplayCommand } from "./commands/replay.ts";
import { createStatusCommand } from "./commands/status.ts";
import { createTailCommand } from "./commands/tail.ts";
import { createTopCommand } from "./commands/top.ts";
import { createWrapCommand } from "./commands/wrap.ts";

export const clientCommands: readonly ClientCommand[] = [callCommand, listCommand, readCommand, promptCommand];

/** `server` holds the words after "--", the command line of a server. */
export function createProgram(server?: readonly string[]): Command {
  const program = new Command("lethe")
    .description("A stateless MCP stack: put any server behind one stateless endpoint, and call any server")
    .version("0.1.0")
    .option("--no-color", "print without colours, like NO_COLOR=1; may follow any command")
    // Options belong to the command that they follow.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nStart here:\n  lethe gateway --config servers.json\n  lethe wrap -- npx -y @modelcontextprotocol/server-everything stdio\n  lethe list http://localhost:3000/mcp\n  lethe list -- npx -y @modelcontextprotocol/server-everything",
    )
    .addCommand(createDevCommand(server))
    .addCommand(createGatewayCommand())
    .addCommand(createWrapCommand(server))
    .addCommand(createBridgeCommand())
    .addCommand(createConsoleCommand())
    .addCommand(createStatusCommand())
    .addCommand(createTopCommand())
    .addCommand(createTailCommand())
    .addCommand(createAddCommand())
    .addCommand(createInstallCommand(server))
    .addCommand(createProbeCommand(server))
    .addCommand(createCompareCommand(server))
    .addCommand(createRecordCommand(server))
    .addCommand(createReplayCommand(server))
    .addCommand(createMigrateCommand())
    .addCommand(createCompletionCommand());
  for (const command of clientCommands) program.addCommand(createClientCommand(command, server));
  return program;
}
