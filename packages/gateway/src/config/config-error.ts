// Errors in configuration files. Each names the file and line, the key, the expected value and the given one.

/** Holds all errors of a configuration, one per line of the message. */
export class ConfigError extends Error {
  /** One problem per entry, each with its file, line, key and expected value. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
