// Turns a package or remote of a registry entry into a server to start or to reach. Commands are arrays of arguments: no shell reads them.
import type { InstallTarget } from "../install/clients.ts";
import type { InputValues } from "./fill-inputs.ts";
import type { Argument, NamedInput, RegistryPackage, RegistryRemote, RegistryServer } from "./parse-entry.ts";

/** The transport of a remote server that is not Streamable HTTP. */
export type RegistryTarget = InstallTarget & { readonly transport?: "sse" };

export interface Offer {
  /** What `--use` takes: npm, pypi, oci, nuget or remote. */
  readonly kind: string;
  readonly title: string;
  /** Why it cannot be used. */
  readonly obstacle: string | undefined;
  toTarget(values: InputValues): RegistryTarget;
}

interface Runtime {
  readonly command: string;
  readonly registries: readonly string[];
  readonly identifier: RegExp;
  /** Options of the runtime that an entry may set. Others could run something else than the package. */
  readonly options: readonly string[];
  toArgs(words: RuntimeWords): string[];
}

interface RuntimeWords {
  readonly id: string;
  readonly version: string | undefined;
  readonly options: readonly string[];
  readonly env: readonly string[];
}

const runtimes: Readonly<Record<string, Runtime>> = {
  npm: {
    command: "npx",
    registries: ["https://registry.npmjs.org"],
    identifier: /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i,
    options: ["-y", "--yes"],
    toArgs: ({ id, version }) => ["-y", version === undefined ? id : `${id}@${version}`],
  },
  pypi: {
    command: "uvx",
    registries: ["https://pypi.org", "https://pypi.org/simple"],
    identifier: /^[a-z0-9][\w.-]*$/i,
    options: [],
    toArgs: ({ id, version }) => [version === undefined ? id : `${id}@${version}`],
  },
  oci: {
    command: "docker",
    registries: ["https://docker.io", "https://ghcr.io", "https://quay.io", "https://mcr.microsoft.com"],
    identifier: /^[a-z0-9][\w./:@-]*$/i,
    options: ["-i", "--interactive", "--rm", "--init", "-e", "--env", "-v", "--volume", "--mount", "-p", "--network"],
    toArgs({ id, version, options, env }) {
      const hasTag = /[:@][^/]*$/.test(id);
      const variables = env.flatMap((name) => ["-e", name]);
      return ["run", "-i", "--rm", ...variables, ...options, version === undefined || hasTag ? id : `${id}:${version}`];
    },
  },
  nuget: {
    command: "dnx",
    registries: ["https://api.nuget.org", "https://api.nuget.org/v3/index.json"],
    identifier: /^[a-z0-9][\w.-]*$/i,
    options: ["-y", "--yes"],
    toArgs: ({ id, version }) => [version === undefined ? id : `${id}@${version}`, "--yes", "--"],
  },
};

const versionPattern = /^[a-z0-9][\w.+!-]*$/i;

/** Packages first, because they need no other party. */
export function toOffers({ packages, remotes }: RegistryServer): Offer[] {
  return [...packages.map(toPackageOffer), ...remotes.map(toRemoteOffer)];
}

function toPackageOffer(given: RegistryPackage): Offer {
  const { registryType, identifier, version } = given;
  const runtime = Object.hasOwn(runtimes, registryType) ? runtimes[registryType] : undefined;
  return {
    kind: registryType,
    title: `${registryType} package ${identifier}${version === undefined ? "" : ` ${version}`}`,
    obstacle: runtime ? obstacleOf(given, runtime) : toUnsupported(registryType),
    toTarget(values) {
      if (!runtime) throw new TypeError("an offer with an obstacle has no target");
      const env = fillNamed(given.environment, values);
      const options = given.runtimeArguments.flatMap((argument) => toWords(argument, values, true));
      const words = { id: identifier, version, options, env: Object.keys(env) };
      const own = given.packageArguments.flatMap((argument) => toWords(argument, values, false));
      return { command: runtime.command, args: [...runtime.toArgs(words), ...own], env };
    },
  };
}

function toUnsupported(type: string): string {
  const supported = Object.keys(runtimes).join(", ");
  return `packages of type "${type}" are not supported, only ${supported}: add the command that starts the server to the file`;
}

function obstacleOf(given: RegistryPackage, { command, registries, identifier, options }: Runtime): string | undefined {
  const { runtimeHint, registryBaseUrl, version, runtimeArguments, environment, transport } = given;
  if (runtimeHint !== undefined && runtimeHint !== command) return `its runtime "${runtimeHint}" is not ${command}`;
  if (registryBaseUrl !== undefined && !registries.includes(registryBaseUrl.replace(/\/$/, ""))) {
    return `its package registry ${registryBaseUrl} is not ${registries[0]}`;
  }
  if (!identifier.test(given.identifier)) return `"${given.identifier}" is not the name of a package`;
  if (version !== undefined && !versionPattern.test(version)) return `"${version}" is not one version`;
  const option = runtimeArguments.find(({ type, name }) => type !== "named" || !options.includes(name));
  if (option) return `it sets the option "${option.value ?? option.name}" of ${command}`;
  const variable = environment.find(({ name }) => !/^[A-Za-z_]\w*$/.test(name));
  if (variable) return `"${variable.name}" is not the name of an environment variable`;
  return transport === "stdio" ? undefined : `it serves ${transport} and not stdio`;
}

function toRemoteOffer({ transport, url, headers, variables }: RegistryRemote): Offer {
  const isSse = transport === "sse";
  const header = headers.find(({ name }) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  const obstacle = header ? `"${header.name}" is not the name of a header` : remoteObstacle(transport, url);
  return {
    kind: "remote",
    title: `${transport} server ${url}`,
    obstacle,
    toTarget: (values) => ({
      url: values.fillText(url, variables),
      headers: fillNamed(headers, values),
      ...(isSse && { transport: "sse" }),
    }),
  };
}

function remoteObstacle(transport: string, url: string): string | undefined {
  if (transport !== "streamable-http" && transport !== "sse") return `its transport "${transport}" is unknown`;
  const { protocol, username, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: "", username: "", password: "" };
  if (username !== "" || password !== "") return "its URL contains credentials";
  const isLoopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/i.test(url);
  return protocol === "https:" || isLoopback ? undefined : "its URL is not an https URL";
}

function fillNamed(inputs: readonly NamedInput[], values: InputValues): Record<string, string> {
  const pairs = inputs.map((input) => [input.name, values.fill(input, true)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** A flag of a runtime without a value stands alone. */
function toWords(argument: Argument, values: InputValues, isAlone: boolean): string[] {
  const { type, name } = argument;
  const hasValue = argument.value !== undefined || argument.default !== undefined || argument.isRequired;
  if (type === "named" && isAlone && !hasValue) return [name];
  const value = values.fill(argument);
  if (value === undefined) return [];
  if (type === "positional") return [value];
  if (value === "") return [name];
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}
