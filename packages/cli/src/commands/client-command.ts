// The options that all client commands share: target, credentials, time limits, and output.
import { logLevels } from "@lethe/protocol";
import { Command, Option } from "commander";
import { type ExitReason, exitCodeHelp } from "../exit-code.ts";
import { collectAnswer } from "../input-requests/parse-answers.ts";
import { collectHeader } from "./headers.ts";
import { parseRedirectPort } from "./redirect-port.ts";
import type { ClientOptions, Run } from "./run-with-client.ts";
import { requireServerUrl } from "./server-url.ts";
import { collectVariable, requireFitting, toCommandTarget } from "./target.ts";
import { eraHelp, eras, parseStartTimeout, parseTimeout, startTimeoutHelp } from "./timeout.ts";

export interface ClientCommand {
  readonly name: string;
  readonly description: string;
  /** The arguments after the URL: name and description. */
  readonly words: readonly (readonly [name: string, meaning: string])[];
  /** Whether the server may request input before it answers. */
  readonly mayAsk: boolean;
  readonly examples: readonly string[];
  /** Help that precedes the environment. */
  readonly help?: string;
  /** What `--verbose` prints of a server at a URL. Without it, the option is for started servers only. */
  readonly verbose?: string;
  /** Further reasons to fail, beside an unreachable server and a missing answer. */
  readonly fails?: readonly ExitReason[];
  /** Checks the arguments before anything is started, and returns the action. Throws CommandError. */
  plan(words: readonly string[]): (run: Run) => Promise<void>;
}

/** `server` is the command after "--", which replaces the URL. */
export function createClientCommand(definition: ClientCommand, server: readonly string[] | undefined): Command {
  const { name, description, words, mayAsk, examples, help = "", verbose, fails = [] } = definition;
  const shapes = words.map(([word]) => word);
  const command = new Command(name)
    .description(description)
    .usage(
      `${["[options] <url>", ...shapes].join(" ")}\n       ${[`lethe ${name} [options]`, ...shapes].join(" ")} -- <command> [args...]`,
    );
  if (!server) command.argument("<url>", "the URL of the server, for example http://localhost:3000/mcp");
  for (const [word, meaning] of words) command.argument(word, meaning);
  addConnectionOptions(command, verbose);
  if (mayAsk) addAskOptions(command);
  const environment =
    "\nEnvironment:\n  LETHE_TOKEN          sent as bearer token\n  LETHE_CLIENT_SECRET  the secret of --client-id";
  return command
    .addHelpText(
      "after",
      `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}\n${help}${environment}\n${exitCodeHelp("unreachable", ...fails, ...(mayAsk ? (["unanswered"] as const) : []))}`,
    )
    .action(async () => {
      const given = command.processedArgs.flat().filter((word): word is string => word !== undefined);
      const options = command.opts<ClientOptions>();
      const { verbose: _, ...others } = options;
      requireFitting(verbose === undefined ? options : others, server ? "command" : "url");
      const task = definition.plan(server ? given : given.slice(1));
      const [url = ""] = given;
      if (!server) requireServerUrl(url);
      const { runWithClient } = await import("./run-with-client.ts");
      await runWithClient(task, { target: server ? toCommandTarget(server, options.env) : url, options });
    });
}

function addConnectionOptions(command: Command, verbose: string | undefined): void {
  command
    .option("--header <name: value>", "sent with every request; may be given again", collectHeader)
    .option("--login", "log in with a browser if the server requires it; tokens are stored for later")
    .option("--client-id <id>", "for --login: the id of a registered client")
    .option("--redirect-port <port>", "for --login: the port of a registered redirect URL", parseRedirectPort)
    .option("--env <name=value>", "for a started server; NAME alone passes the variable on", collectVariable)
    .option("--verbose", `${verbose === undefined ? "" : `${verbose}; `}for a started server: show its stderr`)
    .addOption(
      new Option("--timeout <seconds>", "time limit without activity").argParser(parseTimeout).default(60_000, "60"),
    )
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .addOption(new Option("--era <era>", eraHelp).choices(eras).default("auto"))
    .option("--json", "print the whole result as JSON");
}

function addAskOptions(command: Command): void {
  command
    .option(
      "--answer <json>",
      'the answer to an input request, such as \'{"name": "Ada"}\'; may be given again',
      collectAnswer,
    )
    .option("--answers <file>", "a file with an array of answers")
    .option("--root <folder>", "a folder to disclose to the server as root; may be given again", collect)
    .option("--progress", "show progress even if stderr is not a terminal")
    .addOption(new Option("--log <level>", "show log messages from this level on").choices([...logLevels]));
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
