// Parses an entry of an MCP registry (the format of server.json). Entries are foreign input: every text and list is bounded.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";

/** A value that the entry states, or that the user gives. */
export interface Input {
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Contains `{name}` for each of `variables`. The user cannot change it otherwise. */
  readonly value: string | undefined;
  readonly default: string | undefined;
  readonly choices: readonly string[];
  readonly variables: Readonly<Record<string, Input>>;
}

export interface NamedInput extends Input {
  /** Of a variable or header, or the hint of a positional argument. */
  readonly name: string;
}

export interface Argument extends NamedInput {
  readonly type: "named" | "positional";
}

export interface RegistryPackage {
  readonly registryType: string;
  readonly registryBaseUrl: string | undefined;
  readonly identifier: string;
  readonly version: string | undefined;
  readonly runtimeHint: string | undefined;
  readonly runtimeArguments: readonly Argument[];
  readonly packageArguments: readonly Argument[];
  readonly environment: readonly NamedInput[];
  readonly transport: string;
}

export interface RegistryRemote {
  readonly transport: string;
  readonly url: string;
  readonly headers: readonly NamedInput[];
  readonly variables: Readonly<Record<string, Input>>;
}

export interface RegistryServer {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly RegistryPackage[];
  readonly remotes: readonly RegistryRemote[];
  /** A warning of the registry about the server, such as that it is deprecated. */
  readonly warning: string | undefined;
}

const maxTextLength = 4096;
const maxItems = 100;
const officialMeta = "io.modelcontextprotocol.registry/official";

/** Throws CommandError with the path of the wrong member. `name` is the name that was asked for. */
export function parseEntry({ server, _meta: meta }: JsonObject, name: string): RegistryServer {
  if (!isJsonObject(server)) throw wrong("server", "an object expected");
  if (server.name !== name) throw wrong("server.name", `"${name}" expected, got "${toPrintableLine(server.name)}"`);
  const official = isJsonObject(meta) && isJsonObject(meta[officialMeta]) ? meta[officialMeta] : {};
  const { status = "active", statusMessage = "" } = official;
  if (status === "deleted")
    throw new CommandError(`the registry has deleted ${name}: ${toPrintableLine(statusMessage)}`);
  return {
    name,
    description: describe(server.description),
    version: toText(server.version, "server.version"),
    packages: toList(server.packages, "server.packages", parsePackage),
    remotes: toList(server.remotes, "server.remotes", parseRemote),
    warning: status === "active" ? undefined : toPrintableLine(`${status}: ${statusMessage}`).slice(0, 500),
  };
}

function parsePackage(given: JsonObject, path: string): RegistryPackage {
  const { transport } = given;
  return {
    registryType: toText(given.registryType, `${path}.registryType`),
    registryBaseUrl: toOptionalText(given.registryBaseUrl, `${path}.registryBaseUrl`),
    identifier: toText(given.identifier, `${path}.identifier`),
    version: toOptionalText(given.version, `${path}.version`),
    runtimeHint: toOptionalText(given.runtimeHint, `${path}.runtimeHint`),
    runtimeArguments: toList(given.runtimeArguments, `${path}.runtimeArguments`, parseArgument),
    packageArguments: toList(given.packageArguments, `${path}.packageArguments`, parseArgument),
    environment: toList(given.environmentVariables, `${path}.environmentVariables`, parseNamed),
    transport: isJsonObject(transport) ? toText(transport.type, `${path}.transport.type`) : "stdio",
  };
}

function parseRemote(given: JsonObject, path: string): RegistryRemote {
  return {
    transport: toText(given.type, `${path}.type`),
    url: toText(given.url, `${path}.url`),
    headers: toList(given.headers, `${path}.headers`, parseNamed),
    variables: parseVariables(given.variables, `${path}.variables`),
  };
}

function parseArgument(given: JsonObject, path: string): Argument {
  const { type } = given;
  if (type === "named") return { ...parseNamed(given, path), type };
  if (type !== "positional") throw wrong(`${path}.type`, '"named" or "positional" expected');
  const index = /\[(\d+)\]$/.exec(path)?.[1] ?? "0";
  const name = toOptionalText(given.valueHint, `${path}.valueHint`) ?? `argument${Number(index) + 1}`;
  return { ...parseInput(given, path), name, type };
}

function parseNamed(given: JsonObject, path: string): NamedInput {
  return { ...parseInput(given, path), name: toText(given.name, `${path}.name`) };
}

function parseInput(given: JsonObject, path: string): Input {
  return {
    description: describe(given.description),
    isRequired: given.isRequired === true,
    isSecret: given.isSecret === true,
    value: toOptionalText(given.value, `${path}.value`),
    default: toOptionalText(given.default, `${path}.default`),
    choices: toItems(given.choices, `${path}.choices`).map((choice) => toText(choice, `${path}.choices`)),
    variables: parseVariables(given.variables, `${path}.variables`),
  };
}

/** Variables have no variables of their own. */
function parseVariables(given: unknown, path: string): Readonly<Record<string, Input>> {
  if (given === undefined) return {};
  if (!isJsonObject(given) || Object.keys(given).length > maxItems) throw wrong(path, "an object expected");
  const entries = Object.entries(given).map(([name, value]) => {
    if (!isJsonObject(value)) throw wrong(path, "objects expected");
    const { variables: _, ...input } = value;
    return [toText(name, path), parseInput(input, `${path}.${name}`)] as const;
  });
  return Object.fromEntries(entries);
}

function toList<T>(given: unknown, path: string, parse: (item: JsonObject, path: string) => T): T[] {
  return toItems(given, path).map((item, index) => {
    if (!isJsonObject(item)) throw wrong(`${path}[${index}]`, "an object expected");
    return parse(item, `${path}[${index}]`);
  });
}

function toItems(given: unknown, path: string): readonly unknown[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || given.length > maxItems)
    throw wrong(path, `an array of at most ${maxItems} items expected`);
  return given;
}

function toOptionalText(given: unknown, path: string): string | undefined {
  return given === undefined || given === null ? undefined : toText(given, path, 0);
}

/** Gateways and clients replace `${NAME}` in their files, so an entry could read secrets of the environment with it. */
function toText(given: unknown, path: string, minLength = 1): string {
  const text = typeof given === "number" || typeof given === "boolean" ? String(given) : given;
  if (typeof text !== "string" || text.length < minLength || text.length > maxTextLength) {
    throw wrong(path, `a text of ${minLength} to ${maxTextLength} characters expected`);
  }
  if (/\p{Cc}/u.test(text) || toPrintableLine(text) !== text.trim().replaceAll(/\s+/g, " ")) {
    throw wrong(path, `control characters are not allowed, got "${toPrintableLine(text).slice(0, 100)}"`);
  }
  if (text.includes("${")) throw wrong(path, "${…} is not allowed, because it reads the environment");
  return text;
}

function describe(given: unknown): string {
  return typeof given === "string" ? toPrintableLine(given.slice(0, 200)) : "";
}

function wrong(path: string, expectation: string): CommandError {
  return new CommandError(`the entry of the registry is invalid: ${toPrintableLine(path)}: ${expectation}`);
}
