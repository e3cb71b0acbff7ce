// A mistake in a configuration file, told so that its author can mend it: the file, the key, what was expected, what came.

export class ConfigError extends Error {
  constructor(file: string, key: string, problem: string) {
    super(key ? `${file}: ${key} ${problem}` : `${file}: ${problem}`);
    this.name = "ConfigError";
  }
}
