// Reads configuration files.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { ConfigError } from "./config-error.ts";
import { readSourceFile, type SourceFile } from "./source-file.ts";
import type { FileUpstream, GatewayConfig } from "./upstream-config.ts";
import type { Environment } from "./variables.ts";

/** Options of `readConfig`: the values of variables, and what the command line overrides. */
export interface ReadConfigOptions {
  /** The values of `${NAME}` variables, such as `process.env`. */
  environment: Environment;
  /** Values for `${input:id}`, by id. */
  inputs?: Readonly<Record<string, string>>;
  /** The number of workers that overrides `gateway.workers`, as `lethe gateway --workers` does. Default: that of the files. */
  workers?: number | "auto";
}

const knownReadConfigOptions: KnownOptions<ReadConfigOptions> = {
  environment: "an object",
  inputs: true,
  workers: true,
};

/** A configuration that was read from files and is valid. */
export interface ReadConfig {
  /** The upstreams and settings. */
  readonly config: GatewayConfig<FileUpstream>;
  /** Notes for the operator about a valid configuration. */
  readonly notes: readonly string[];
  /** Absolute paths of all files that the configuration was read from. */
  readonly files: readonly string[];
  /** Values that must not appear in logs and responses. */
  readonly secrets: readonly string[];
}

/**
 * Merges several files into one configuration. A server or setting in two files is an error unless both have the same value. Throws ConfigError.
 */
export async function readConfig(files: readonly string[], options: ReadConfigOptions): Promise<ReadConfig> {
  checkOptions("readConfig", options, knownReadConfigOptions);
  const sources = await Promise.allSettled(files.map(readSourceFile));
  const broken = sources.flatMap((source) => (source.status === "rejected" ? [source.reason as unknown] : []));
  const unexpected = broken.find((error) => !(error instanceof ConfigError));
  if (unexpected) throw unexpected;
  if (broken.length > 0) throw new ConfigError(broken.flatMap((error) => (error as ConfigError).problems));
  // Loaded here, so that a program that builds its configuration loads no schemas.
  const { toConfig } = await import("./to-config.ts");
  return toConfig(
    sources.map((source) => (source as PromiseFulfilledResult<SourceFile>).value),
    options,
  );
}
