// The syntax of arguments on the command line: key=value, key[]=value, key.inner=value, key:=json, or one JSON object.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";

export const argumentHelp = `
Arguments:
  key=value        the schema of the tool decides the type: text, number, boolean or list
  key=a key=b      a list; or key[]=a
  key.inner=value  a member of an object
  key:=json        any JSON value, such as filter:='{"open": true}'
  key=@file        the text of a file; key:=@file for JSON; key=@@x for the text "@x"
  '{"key": 1}'     all arguments as one JSON object`;

export interface ArgumentWord {
  /** As given, for messages. */
  readonly key: string;
  readonly path: readonly string[];
  readonly isList: boolean;
  readonly isJson: boolean;
  readonly text: string;
}

export type GivenArguments =
  | { readonly json: JsonObject; readonly words?: undefined }
  | { readonly json?: undefined; readonly words: readonly ArgumentWord[] };

/** Objects in objects. */
const maxDepth = 32;
const jsonExample = `write them like '{"name": "Ada"}'`;

/** Checks the syntax before anything is started. Throws CommandError. */
export function parseArguments(given: readonly string[]): GivenArguments {
  const [first] = given;
  if (first === undefined) return { json: {} };
  if (given.length === 1 && !/^[^\s={["]+=/.test(first)) return { json: parseJsonArgument(first) };
  return { words: given.map(parseWord) };
}

function parseJsonArgument(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`the arguments are not JSON: ${(error as Error).message}; ${jsonExample}`);
  }
  if (isJsonObject(value)) return value;
  throw new CommandError(`the arguments must be one JSON object, got ${nameOf(value)}; ${jsonExample}`);
}

function parseWord(word: string): ArgumentWord {
  const [, key = "", list, colon, text = ""] = /^([^=]*?)(\[\])?(:)?=(.*)$/s.exec(word) ?? [];
  if (key === "" || word.startsWith("{")) {
    const hint = word.startsWith("{") ? "; one JSON object must be the only argument" : "";
    throw new CommandError(`an argument must be key=value or key:=json, got "${word}"${hint}`);
  }
  const path = key.split(".");
  if (path.length > maxDepth) throw new CommandError(`"${key}" has more than ${maxDepth} names`);
  return { key, path, isList: list !== undefined, isJson: colon !== undefined, text };
}
