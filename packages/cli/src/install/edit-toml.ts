// Sets one server in the TOML file of Codex, and leaves every other line as it is. The result is parsed and compared before it is used.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@lethe/protocol";
import { parse, stringify, TomlError } from "smol-toml";
import { CommandError } from "../exit-code.ts";

/** Throws CommandError with file and line if the text is not TOML, or if the server is written in a form that cannot be replaced. */
export function setInToml(file: string, text: string, [key, name]: readonly [string, string], entry: object): string {
  const before = read(file, text);
  const servers = before[key] ?? {};
  if (!isJsonObject(servers)) throw new CommandError(`${file}: "${key}" must be a table; repair it first`);
  const rest = Object.hasOwn(servers, name) ? withoutTable(text, key, name) : text;
  const gap = rest.trim() === "" ? "" : `${rest.trimEnd()}\n\n`;
  const after = `${gap}${stringify({ [key]: { [name]: entry } }).trimStart()}`;
  const expected = { ...before, [key]: { ...servers, [name]: entry } };
  if (!isDeepStrictEqual(plain(read(file, after)), plain(expected))) {
    throw new CommandError(`${file}: the server "${name}" is not a table of its own; remove it first`);
  }
  return after;
}

function read(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new CommandError(`${file}:${error.line}: not TOML (${error.message.split("\n")[0]}); repair it first`);
  }
}

/** Removes `[key.name]` and the tables in it. */
function withoutTable(text: string, key: string, name: string): string {
  let isInside = false;
  const kept = text.split("\n").filter((line) => {
    const [, header] = /^\s*\[\[?([^\]]+)\]/.exec(line) ?? [];
    if (header !== undefined) {
      const parts = header.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
      isInside = parts[0] === key && parts[1] === name;
    }
    return !isInside;
  });
  return kept.join("\n");
}

/** Removes prototypes, which the parser leaves out. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
