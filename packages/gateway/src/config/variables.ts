// Replaces `${…}` in configuration files, as desktop clients and editors do. Inputs that an editor would prompt for come from
// the environment or the command line.
import { homedir } from "node:os";
import { basename, sep } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An entry of `inputs` in a VS Code file. */
export interface DeclaredInput {
  description?: string | undefined;
  default?: string | undefined;
  /** The allowed values. */
  options?: readonly string[] | undefined;
  isSecret: boolean;
}

export interface Variables {
  environment: Environment;
  /** Values by id, from the command line. */
  given: Readonly<Record<string, string>>;
  declared: ReadonlyMap<string, DeclaredInput>;
  workspaceFolder: string;
  /** Called with each value that must not appear in a log. */
  onSecret(value: string): void;
}

/** Whether the value of an environment variable is secret, by its name. */
export function isSecretVariable(name: string): boolean {
  return /key|token|secret|passw|credential|auth/i.test(name);
}

const reference = /\$\{([^${}]+)\}/g;
const variable = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Throws an Error that says what is missing and how to set it. Unknown `${…}` stay unchanged. */
export function expandVariables(text: string, variables: Variables): string {
  return text.replace(reference, (whole, name: string) => meaningOf(name, variables) ?? whole);
}

function meaningOf(name: string, variables: Variables): string | undefined {
  const builtIn = builtIns[name];
  if (builtIn) return builtIn(variables);
  if (name.startsWith("input:")) return inputOf(name.slice("input:".length), variables);
  const [, key, fallback] = variable.exec(name) ?? [];
  if (key !== undefined) {
    const value = environmentValueOf(key, fallback, variables.environment);
    // For variables such as AUTH_ISSUER: secrets inside an address are found where the address is used.
    if (isSecretVariable(key) && !value.includes("://")) variables.onSecret(value);
    return value;
  }
  if (/^[a-z]+:/i.test(name)) throw new Error(`uses \${${name}}, which only an editor can resolve`);
  return undefined;
}

const builtIns: Readonly<Record<string, (variables: Variables) => string>> = {
  __proto__: null as never,
  workspaceFolder: ({ workspaceFolder }) => workspaceFolder,
  workspaceFolderBasename: ({ workspaceFolder }) => basename(workspaceFolder),
  workspaceRoot: ({ workspaceFolder }) => workspaceFolder,
  userHome: () => homedir(),
  pathSeparator: () => sep,
  "/": () => sep,
};

/** As in a shell, `:-` also applies to a variable that is set but empty. */
function environmentValueOf(key: string, fallback: string | undefined, environment: Environment): string {
  const value = own(environment, key);
  if (fallback !== undefined) return value || fallback;
  if (value === undefined) throw new Error(`needs the environment variable ${key}, which is not set`);
  return value;
}

function inputOf(id: string, { environment, given, declared, onSecret }: Variables): string {
  const input = declared.get(id);
  const value = own(given, id) ?? own(environment, inputVariableOf(id)) ?? input?.default;
  if (value === undefined) {
    const about = input?.description ? ` (${input.description})` : "";
    throw new Error(`needs the input "${id}"${about}: set ${inputVariableOf(id)}, or give --input ${id}=VALUE`);
  }
  if (input?.options && !input.options.includes(value)) {
    throw new Error(`needs the input "${id}" to be ${input.options.join(" or ")}, got "${value}"`);
  }
  if (input?.isSecret) onSecret(value);
  return value;
}

/** `github-token` becomes LETHE_INPUT_GITHUB_TOKEN. */
function inputVariableOf(id: string): string {
  return `LETHE_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

function own(values: Environment, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
