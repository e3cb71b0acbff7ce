// lethe gateway: serves the servers of a configuration file at one stateless endpoint until it is stopped.
import { basePath, ConfigError, createGateway, type Gateway, readConfig, type UpstreamEvent } from "@lethe/gateway";
import { serve } from "@lethe/server/node";
import { Command } from "commander";
import { CommandError, exitCodeHelp } from "../exit-code.ts";
import { createStyle, type Style } from "../terminal/style.ts";

interface GatewayOptions {
  config: string;
  port: number;
  host: string;
  verbose?: boolean;
}

export const gatewayCommand: Command = new Command("gateway")
  .description("put the servers of an mcpServers file behind one stateless endpoint")
  .requiredOption("--config <file>", 'the file that desktop clients use: {"mcpServers": {name: {command, args}}}')
  .option("--port <number>", "where to listen; 0 takes any free port", parsePort, 3000)
  .option("--host <address>", "the address to listen on", "127.0.0.1")
  .option("--verbose", "also print what the servers write to their stderr")
  .addHelpText(
    "after",
    `
All servers together answer at /mcp, with tool and prompt names prefixed (files__read_text_file);
each one alone answers at /mcp/NAME under its own names.

Example:
  lethe gateway --config servers.json --port 8080
${exitCodeHelp}`,
  )
  .action(runGateway);

async function runGateway({ config: file, port, host, verbose }: GatewayOptions): Promise<void> {
  const style = createStyle(process.stderr);
  const note = (text: string) => process.stderr.write(`${text}\n`);
  const { config } = await readConfig([file], { environment: process.env }).catch((error) => {
    throw error instanceof ConfigError ? new CommandError(error.message) : error;
  });
  const gateway = createGateway(config, {
    onEvent: (event) => note(toNote(event, style)),
    onProblem: (problem) => note(`${style.yellow("!")} ${problem}`),
    ...(verbose && { onStderr: (upstream: string, line: string) => note(style.dim(`${upstream}: ${line}`)) }),
  });
  const stopped = waitForStop();
  const listening = await serve((path) => gateway.servableAt(path), { port, host }).catch(async (error: Error) => {
    await gateway.close();
    throw new CommandError(error.message);
  });
  await Promise.race([gateway.settled, stopped]);
  printEndpoint(gateway, new URL(basePath, listening.url).href, style);
  await stopped;
  note(style.dim("stopping …"));
  await listening.close();
  await gateway.close();
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new CommandError(`--port must be a whole number from 0 to 65535, got "${text}"`);
  }
  return port;
}

/** A second signal means that the person does not want to wait any longer. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve();
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
  });
}

function toNote(event: UpstreamEvent, style: Style): string {
  if (event.kind === "ready") return `${style.green("✓")} ${event.upstream} is ready`;
  const seconds = (event.restartInMs / 1000).toFixed(1);
  return `${style.red("✗")} ${event.upstream}: ${event.reason}; starting it again in ${seconds} s`;
}

function printEndpoint(gateway: Gateway, url: string, style: Style): void {
  const { tools, resources, prompts } = gateway.catalog.current;
  const names = gateway.upstreams.map(({ name }) => `  ${url}/${name}`).join("\n");
  const tool = tools.find(({ name }) => name.endsWith("__echo"))?.name ?? tools[0]?.name ?? "TOOL";
  process.stdout.write(`
${style.bold(`Listening on ${url}`)}  ${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts
${names}

Try:
  npx lethe call ${url} ${tool} '{"message": "hello"}'

  ${toCurl(url, tool)}

Ctrl-C stops it.
`);
}

function toCurl(url: string, tool: string): string {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: tool, arguments: { message: "hello" }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return [
    `curl -s ${url}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    "-H 'MCP-Protocol-Version: 2026-07-28'",
    "-H 'Mcp-Method: tools/call'",
    `-H 'Mcp-Name: ${tool}'`,
    `-d '${body}'`,
  ].join(" \\\n    ");
}
