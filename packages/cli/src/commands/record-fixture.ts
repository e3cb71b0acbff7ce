// lethe record: passes a server on to a client, and writes what it answered to a fixture file.
import { Command, Option } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { parsePort } from "./fixture-port.ts";
import { collectHeader } from "./headers.ts";
import type { RecordOptions } from "./run-record-fixture.ts";
import { requireServerUrl } from "./server-url.ts";
import { collectVariable, requireFitting, toCommandTarget } from "./target.ts";
import { eraHelp, eras, parseStartTimeout, startTimeoutHelp } from "./timeout.ts";

/** `server` is the command after "--", which replaces the URL. */
export function createRecordCommand(server: readonly string[] | undefined): Command {
  const command = new Command("record")
    .description("record what a server answers to a fixture file, for `lethe replay`")
    .usage("[options] -o <file> <url>\n       lethe record [options] -o <file> -- <command> [args...]")
    .requiredOption("-o, --output <file>", "the fixture file to write; an existing one is replaced");
  if (!server) command.argument("<url>", "the URL of the server");
  return command
    .addOption(
      new Option("--port <port>", "serve http://127.0.0.1:<port>/mcp instead of stdio; 0 takes any").argParser(
        parsePort,
      ),
    )
    .option("--header <name: value>", "sent with every request; may be given again", collectHeader)
    .option("--env <name=value>", "for a started server; NAME alone passes the variable on", collectVariable)
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .addOption(new Option("--era <era>", eraHelp).choices(eras).default("auto"))
    .option("--json", "with --port: print the file and the number of exchanges as JSON at the end")
    .addHelpText(
      "after",
      `
A client of any revision uses the server through this command, over stdio or with --port over HTTP. The file is
written when the client ends the connection, or at Ctrl-C. Secrets are masked. The lists of the server are
recorded in any case.

Examples:
  lethe record -o fixture.json --port 4000 -- node server.js
  lethe call add '{"a": 1, "b": 2}' -- lethe record -o fixture.json -- node server.js

Environment:
  LETHE_TOKEN          sent as bearer token
${exitCodeHelp()}`,
    )
    .action(async () => {
      const options = command.opts<RecordOptions>();
      const [url = ""] = command.processedArgs as (string | undefined)[];
      requireFitting(
        { header: options.header, env: options.env, startTimeout: options.startTimeout },
        server ? "command" : "url",
      );
      if (!server) requireServerUrl(url);
      if (options.json && options.port === undefined)
        throw new CommandError("--json needs --port: stdout is the connection");
      if (options.output === "") throw new CommandError("--output needs a file");
      const { runRecordFixture } = await import("./run-record-fixture.ts");
      await runRecordFixture(server ? toCommandTarget(server, options.env) : url, options);
    });
}
