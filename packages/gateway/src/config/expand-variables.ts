// ${VAR} and ${VAR:-default} in the texts of a configuration file, as desktop clients expand them.

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Throws an Error that names the variable when it is not set and has no default. */
export function expandVariables(text: string, environment: Environment): string {
  return text.replace(reference, (_, name: string, fallback: string | undefined) => {
    const value = environment[name] ?? fallback;
    if (value === undefined) throw new Error(`needs the environment variable ${name}, which is not set`);
    return value;
  });
}
