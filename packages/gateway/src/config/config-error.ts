// Mistakes in configuration files, told so that their author can mend them: the file and line, the key, what was
// expected, what came.

/** All mistakes of a configuration at once, one per line of the message. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
