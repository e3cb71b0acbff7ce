// What all commands share that talk to one server: where it is, how to get in, how long to wait, what to show on the way.
import { logLevels } from "@lethe/protocol";
import { Command, Option } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { collectAnswer } from "../questions/given-answers.ts";
import { collectHeader } from "./headers.ts";
import { parseRedirectPort } from "./login.ts";
import { type ClientOptions, type Run, runWithClient } from "./run-with-client.ts";
import { requireServerUrl } from "./server-url.ts";
import { collectVariable, requireFitting, toCommandTarget } from "./target.ts";
import { eraHelp, eras, parseStartTimeout, parseTimeout, startTimeoutHelp } from "./timeout.ts";

export interface ClientCommand {
  readonly name: string;
  readonly description: string;
  /** What follows the URL: name and meaning. */
  readonly words: readonly (readonly [name: string, meaning: string])[];
  /** Whether the server may ask before it answers. */
  readonly mayAsk: boolean;
  readonly examples: readonly string[];
  /** What to do with the words, which are looked at before anything is started. Throws CommandError. */
  plan(words: readonly (string | undefined)[]): (run: Run) => Promise<void>;
}

/** `server` is the command after "--", which then takes the place of the URL. */
export function createClientCommand(definition: ClientCommand, server: readonly string[] | undefined): Command {
  const { name, description, words, mayAsk, examples } = definition;
  const shapes = words.map(([word]) => word);
  const command = new Command(name)
    .description(description)
    .usage(
      `${["[options] <url>", ...shapes].join(" ")}\n       ${[`lethe ${name} [options]`, ...shapes].join(" ")} -- <command> [args...]`,
    );
  if (!server) command.argument("<url>", "where the server listens, for example http://localhost:3000/mcp");
  for (const [word, meaning] of words) command.argument(word, meaning);
  addConnectionOptions(command);
  if (mayAsk) addAskOptions(command);
  const environment =
    "\nEnvironment:\n  LETHE_TOKEN          sent as bearer token\n  LETHE_CLIENT_SECRET  belongs to --client-id";
  return command
    .addHelpText(
      "after",
      `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}\n${environment}\n${exitCodeHelp}`,
    )
    .action(async () => {
      const given = command.processedArgs as (string | undefined)[];
      const options = command.opts<ClientOptions>();
      requireFitting(options, server ? "command" : "url");
      const task = definition.plan(server ? given : given.slice(1));
      const [url = ""] = given;
      if (!server) requireServerUrl(url);
      await runWithClient(task, { target: server ? toCommandTarget(server, options.env) : url, options });
    });
}

function addConnectionOptions(command: Command): void {
  command
    .option("--header <name: value>", "sent with every request; may be given again", collectHeader)
    .option("--login", "log in with a browser when the server asks for it; tokens are kept for the next time")
    .option("--client-id <id>", "for --login, where clients are registered in advance")
    .option("--redirect-port <port>", "for --login, where the redirect URL is registered in advance", parseRedirectPort)
    .option("--env <name=value>", "for a server that is started; NAME alone passes it on", collectVariable)
    .option("--verbose", "for a server that is started: show what it writes to its stderr")
    .addOption(
      new Option("--timeout <seconds>", "give up after so long without a sign of life")
        .argParser(parseTimeout)
        .default(60_000, "60"),
    )
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .addOption(new Option("--era <era>", eraHelp).choices(eras).default("auto"))
    .option("--json", "print the whole result as JSON");
}

function addAskOptions(command: Command): void {
  command
    .option("--answer <json>", 'answers a question, such as \'{"name": "Ada"}\'; may be given again', collectAnswer)
    .option("--answers <file>", "the same from a file: an array of answers")
    .option("--root <folder>", "a folder that the server may know of; may be given again", collect)
    .option("--progress", "show progress even when stderr is no terminal")
    .addOption(new Option("--log <level>", "show log messages from this level on").choices([...logLevels]));
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
