// The options that the gateway commands share.
import { existsSync } from "node:fs";
import { type LogFormat, logFormats } from "@lethe/gateway";
import { type Command, Option } from "commander";
import { CommandError } from "../exit-code.ts";
import { parseWorkerCount } from "./worker-count.ts";

export interface ConfigOptions {
  config?: string[];
  input?: Record<string, string>;
}

export interface WorkersOption {
  /** Overrides `gateway.workers`. */
  workers?: number | "auto";
}

export interface ListenOptions {
  port?: number;
  host?: string;
  log?: LogFormat;
  verbose?: boolean;
}

export function addConfigOptions(command: Command): Command {
  return command
    .option("--config <file>", "mcpServers or VS Code servers, with comments; may be given again", collectFile)
    .option("--input <id=value>", "the value of ${input:id}; or set LETHE_INPUT_ID", collectInput);
}

/** `before` names the sources that precede the default port and address. */
export function addAddressOptions(command: Command, before = ""): Command {
  return command
    .option("--port <number>", `the port to listen on; 0 selects a free one (default: ${before}3000)`, parsePort)
    .option("--host <address>", `the address to listen on (default: ${before}127.0.0.1)`);
}

export function addWorkersOption(command: Command): Command {
  return command.option(
    "--workers <number>",
    'processes that share the port: a number, or "auto" for one per core',
    parseWorkerCount,
  );
}

/** `before` is as in `addAddressOptions`. */
export function addListenOptions(command: Command, before = ""): Command {
  return addAddressOptions(command, before)
    .addOption(
      new Option("--log <format>", "write a line to stderr for each request and event").choices([...logFormats]),
    )
    .option("--verbose", "also print requests and the stderr of the servers");
}

/** Rejects arguments: a file without --config, or an unknown subcommand. */
export function refuseWords({ args: [word] }: Command, name: string): void {
  if (word === undefined) return;
  const isFile = /[./\\]/.test(word) || existsSync(word);
  throw new CommandError(
    isFile
      ? `${word} must follow --config: lethe ${name} --config ${word}`
      : `lethe gateway takes no "${word}"; its commands are check, doctor, init and schema`,
  );
}

function collectFile(file: string, before: readonly string[] = []): string[] {
  return [...before, file];
}

function collectInput(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf("=");
  if (equals < 1) throw new CommandError(`--input must be id=value, got "${text}"`);
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (text.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new CommandError(`--port must be a whole number from 0 to 65535, got "${text}"`);
  }
  return port;
}
