// The `lethe` command: selects the subcommand, and turns every failure into one sentence and an exit code.
import { Command, CommanderError } from "commander";
import { createAddCommand } from "./commands/add.ts";
import { createBridgeCommand } from "./commands/bridge.ts";
import { callCommand } from "./commands/call.ts";
import { createClientCommand } from "./commands/client-command.ts";
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
import { splitCommandLine } from "./commands/target.ts";
import { createTopCommand } from "./commands/top.ts";
import { createWrapCommand } from "./commands/wrap.ts";
import { CommandError, exitCode } from "./exit-code.ts";
import { allowClosedOutput } from "./terminal/closed-output.ts";
import { toPrintable } from "./terminal/printable.ts";
import { createStyle } from "./terminal/style.ts";

const clientCommands = [callCommand, listCommand, readCommand, promptCommand];
const serverCommands: readonly (string | undefined)[] = [
  "dev",
  "wrap",
  "probe",
  "compare",
  "record",
  "replay",
  "install",
];

allowClosedOutput([process.stdout, process.stderr], (error) => {
  fail(new CommandError(`the output cannot be written: ${error.message}`));
});
try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCode.success : exitCode.usage;
  else fail(error);
}

function fail(error: unknown): void {
  const isExpected = error instanceof CommandError;
  // Any other error is a defect of lethe, so the stack trace is printed.
  const message = isExpected ? error.message : `a defect of lethe: ${(error as Error).stack ?? String(error)}`;
  process.stderr.write(`${createStyle(process.stderr).red("error:")} ${toPrintable(message)}\n`);
  process.exitCode = isExpected ? error.exitCode : exitCode.unreachable;
}

async function run(words: string[]): Promise<void> {
  // "--" starts a server command only for commands that accept a server.
  const isForServer = serverCommands.includes(words[0]) || clientCommands.some(({ name }) => name === words[0]);
  const { own, server } = isForServer ? splitCommandLine(words) : { own: words, server: undefined };
  // Every command understands it, also before its name. Colours are chosen by the environment.
  const isPlain = own.includes("--no-color");
  if (isPlain) process.env.NO_COLOR = "1";
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
  throwOnExit(program);
  await program.parseAsync(isPlain ? own.filter((word) => word !== "--no-color") : own, { from: "user" });
}

function throwOnExit(command: Command): void {
  command.exitOverride().showHelpAfterError("(use --help for the usage)");
  for (const sub of command.commands) throwOnExit(sub);
}
