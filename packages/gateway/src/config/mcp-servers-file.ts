// Reads the `mcpServers` file of desktop clients (Claude Desktop, Cursor, Gemini CLI and others) without any change to it.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { ConfigError } from "./config-error.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";
import type { GatewayConfig, UpstreamConfig } from "./upstream-config.ts";

/** Names go into URL paths and tool prefixes. */
const legalName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** Reads and checks a file; throws ConfigError that names the file, the key and what was expected. */
export async function readMcpServersFile(file: string, environment: Environment): Promise<GatewayConfig> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(file, "", error.code === "ENOENT" ? "no such file" : `cannot be read (${error.code})`);
  });
  return parseMcpServers(text, { file, environment });
}

export interface ParseOptions {
  /** Named in errors; `cwd` is resolved against its folder. */
  file: string;
  environment: Environment;
}

export function parseMcpServers(text: string, options: ParseOptions): GatewayConfig {
  const document = parseDocument(text, options.file);
  const servers = document.mcpServers;
  if (!isJsonObject(servers)) {
    throw new ConfigError(
      options.file,
      "mcpServers",
      `must be an object that maps names to servers, got ${nameOf(servers)}`,
    );
  }
  const enabled = Object.entries(servers).filter(([, entry]) => !isJsonObject(entry) || entry.disabled !== true);
  if (enabled.length === 0) throw new ConfigError(options.file, "mcpServers", "must name at least one server");
  return { upstreams: enabled.map(([name, entry]) => parseServer(name, entry, options)) };
}

function parseDocument(text: string, file: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(file, "", `is not JSON (${(error as Error).message})`);
  }
  if (!isJsonObject(document)) throw new ConfigError(file, "", `must hold one JSON object, got ${nameOf(document)}`);
  return document;
}

function parseServer(name: string, entry: unknown, { file, environment }: ParseOptions): UpstreamConfig {
  const key = `mcpServers.${name}`;
  if (!legalName.test(name)) {
    throw new ConfigError(file, key, "has a name that is not 1 to 32 letters, digits, dots, dashes or underscores");
  }
  if (!isJsonObject(entry)) throw new ConfigError(file, key, `must be an object, got ${nameOf(entry)}`);
  const read = createReader(entry, { file, key, environment });
  if (entry.command !== undefined) {
    const cwd = read.optionalText("cwd");
    return {
      kind: "stdio",
      name,
      command: read.text("command"),
      args: read.texts("args"),
      env: read.textMap("env"),
      ...(cwd === undefined ? {} : { cwd: resolve(dirname(file), cwd) }),
    };
  }
  if (entry.url !== undefined)
    return { kind: "http", name, url: parseUrl(read, file, key), headers: read.textMap("headers") };
  throw new ConfigError(file, key, 'must have a "command" (a local server) or a "url" (a remote one)');
}

function parseUrl(read: Reader, file: string, key: string): string {
  const url = read.text("url");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ConfigError(file, `${key}.url`, "must be an http or https URL");
  }
  return url;
}

interface Reader {
  text(member: string): string;
  optionalText(member: string): string | undefined;
  texts(member: string): string[];
  textMap(member: string): Record<string, string>;
}

/** Reads typed members of one entry, with variables expanded. */
function createReader(entry: JsonObject, where: { file: string; key: string; environment: Environment }): Reader {
  const { file, key, environment } = where;
  const expect = (member: string, value: unknown): string => {
    if (typeof value !== "string")
      throw new ConfigError(file, `${key}.${member}`, `must be a string, got ${nameOf(value)}`);
    try {
      return expandVariables(value, environment);
    } catch (error) {
      throw new ConfigError(file, `${key}.${member}`, (error as Error).message);
    }
  };
  return {
    text: (member) => expect(member, entry[member]),
    optionalText: (member) => (entry[member] === undefined ? undefined : expect(member, entry[member])),
    texts(member) {
      const value = entry[member] ?? [];
      if (!Array.isArray(value)) {
        throw new ConfigError(file, `${key}.${member}`, `must be an array of strings, got ${nameOf(value)}`);
      }
      return value.map((item, index) => expect(`${member}[${index}]`, item));
    },
    textMap(member) {
      const value = entry[member] ?? {};
      if (!isJsonObject(value))
        throw new ConfigError(file, `${key}.${member}`, `must be an object, got ${nameOf(value)}`);
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, expect(`${member}.${name}`, item)]));
    },
  };
}
