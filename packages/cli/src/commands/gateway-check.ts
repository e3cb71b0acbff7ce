// lethe gateway check: says what is wrong with configuration files, or what they come to.
import type { ReadConfig, UpstreamConfig } from "@lethe/gateway";
import { hideSecrets } from "@lethe/probe";
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { addConfigOptions, type ConfigOptions, loadConfig, toCommandError } from "../gateway/gateway-options.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";

export function createCheckCommand(): Command {
  return addConfigOptions(new Command("check"))
    .description("read the configuration, say everything that is wrong with it, and start nothing")
    .addHelpText("after", `\nExample:\n  lethe gateway check --config servers.json\n${exitCodeHelp}`)
    .action(async (options: ConfigOptions) => {
      const read = await loadConfig(options).catch(toCommandError);
      process.stdout.write(toReport(read, createStyle(process.stdout)));
    });
}

/** No value that may be a secret: names of variables and headers, but not what is in them. */
export function toReport({ config, notes }: ReadConfig, style: Style): string {
  const width = Math.max(...config.upstreams.map(({ name }) => name.length));
  const lines = config.upstreams.map(
    (upstream) => `${style.green("✓")} ${upstream.name.padEnd(width)}  ${toPrintable(hideSecrets(describe(upstream)))}`,
  );
  const { settings = {} } = config;
  const blocks = Object.keys(settings).length > 0 ? [`  gateway: ${Object.keys(settings).join(", ")}`] : [];
  return `${[...lines, ...blocks, ...notes.map((note) => `${style.yellow("!")} ${toPrintable(note)}`)].join("\n")}\n`;
}

function describe(upstream: UpstreamConfig): string {
  if (upstream.kind === "http") {
    const { url, headers } = upstream;
    const names = Object.keys(headers);
    // A query may hold a key.
    return `${url.split("?")[0]}${names.length > 0 ? ` with ${names.join(", ")}` : ""}`;
  }
  const { command, args, env, cwd } = upstream;
  const names = Object.keys(env);
  const given = args.length === 1 ? " and 1 argument" : args.length > 1 ? ` and ${args.length} arguments` : "";
  const words = `${command}${given}`;
  return `${words}${names.length > 0 ? ` with ${names.join(", ")}` : ""}${cwd === undefined ? "" : ` in ${cwd}`}`;
}
