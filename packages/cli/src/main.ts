// The `lethe` command: selects the subcommand, and turns every failure into one sentence and an exit code.
import { type Command, CommanderError } from "commander";
import { splitCommandLine } from "./commands/target.ts";
import { CommandError, exitCode } from "./exit-code.ts";
import { clientCommands, createProgram } from "./program.ts";
import { allowClosedOutput } from "./terminal/closed-output.ts";
import { toPrintable } from "./terminal/printable.ts";
import { createStyle } from "./terminal/style.ts";

const serverCommands: readonly (string | undefined)[] = [
  "dev",
  "wrap",
  "probe",
  "compare",
  "record",
  "replay",
  "install",
];

allowClosedOutput([process.stdout], (error) => {
  fail(new CommandError(`the output cannot be written: ${error.message}`));
});
// A line for a full disk is lost: the command continues, and nothing is left to write the reason to.
allowClosedOutput([process.stderr], () => {});
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
  const program = createProgram(server);
  throwOnExit(program);
  await program.parseAsync(isPlain ? own.filter((word) => word !== "--no-color") : own, { from: "user" });
}

function throwOnExit(command: Command): void {
  command.exitOverride().showHelpAfterError("(use --help for the usage)");
  for (const sub of command.commands) throwOnExit(sub);
}
