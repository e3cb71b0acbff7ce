// lethe wrap -- COMMAND: serves one stdio server as a stateless endpoint, without a configuration file.
import type { FileUpstream, ReadConfig, ServedGateway } from "@lethe/gateway";
import type { Era } from "@lethe/protocol";
import { Command, Option } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { toWrapBanner } from "../gateway-command/banner.ts";
import { addListenOptions } from "../gateway-command/gateway-options.ts";
import type { RunOptions } from "../gateway-command/run-gateway.ts";
import { eraHelp, eras, parseStartTimeout, startTimeoutHelp } from "./timeout.ts";

interface WrapOptions extends RunOptions {
  cwd?: string;
  startTimeout?: number;
  era?: Era | "auto";
}

/** `server` is the command after "--". */
export function createWrapCommand(server: readonly string[] | undefined): Command {
  return addListenOptions(new Command("wrap"))
    .description("serve one stdio server over stateless HTTP")
    .usage("[options] -- <command> [args...]")
    .option("--cwd <folder>", "the working folder of the server")
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .addOption(new Option("--era <era>", eraHelp).choices(eras).default("auto"))
    .addHelpText(
      "after",
      `
The server sees the environment of this command, which ends when the server does not start. It answers at
/mcp under its own names, to clients of every revision that the gateway serves. For keys, limits or several
servers, write a file: lethe gateway init

Example:
  lethe wrap --port 8080 -- npx -y @modelcontextprotocol/server-everything stdio
${exitCodeHelp(["unreachable", "the server did not start, or the port is in use"])}`,
    )
    .action(async (options: WrapOptions) => {
      if (!server) throw new CommandError('a command is expected after "--", such as: lethe wrap -- npx my-server');
      const config = toConfig(server, options);
      const { runGateway } = await import("../gateway-command/run-gateway.ts");
      await runGateway({ ...options, watch: false }, { load: async () => config, toBanner: toWrapBanner, toFailure });
    });
}

function toFailure({ view }: ServedGateway): string | undefined {
  return view().upstreams[0]?.reason?.replace("(startTimeoutMs)", "(--start-timeout)");
}

function toConfig([command = "", ...args]: readonly string[], options: WrapOptions): ReadConfig {
  const { cwd, startTimeout: startTimeoutMs, era } = options;
  const env = Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const upstream: FileUpstream = {
    ...{ kind: "stdio", name: "server", prefix: "", command, args, env },
    ...(cwd && { cwd }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(era && era !== "auto" && { era }),
  };
  return { config: { upstreams: [upstream] }, notes: [], files: [], secrets: [] };
}
