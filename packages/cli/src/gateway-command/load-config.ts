// Reads the configuration that the options name.
import { existsSync } from "node:fs";
import { ConfigError, type ReadConfig, readConfig } from "@lethe/gateway";
import { CommandError } from "../exit-code.ts";
import type { ConfigOptions, WorkersOption } from "./gateway-options.ts";

/** Usual names of configuration files, of Lethe and of other programs. */
const usualFiles = ["lethe.json", ".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];

/** Rejects with ConfigError, or CommandError. */
export async function loadConfig({ config, input = {}, workers }: ConfigOptions & WorkersOption): Promise<ReadConfig> {
  if (!config) throw new CommandError(`--config FILE is expected${suggestion()}`);
  return readConfig(config, { environment: process.env, inputs: input, ...(workers !== undefined && { workers }) });
}

export function toCommandError(error: unknown): never {
  throw error instanceof ConfigError ? new CommandError(error.message) : error;
}

function suggestion(): string {
  const found = usualFiles.find((file) => existsSync(file));
  return found ? `, such as: --config ${found}` : "; `lethe gateway init` writes one";
}
