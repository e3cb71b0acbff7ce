// Sets one server in a JSON file with comments, and leaves every other character as it is.
import { isJsonObject } from "@lethe/protocol";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { CommandError } from "../exit-code.ts";

/** Throws CommandError with file and line if the text is not an object. */
export function setInJson(file: string, text: string, path: readonly string[], entry: unknown): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const errors: ParseError[] = [];
  const value: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = source.slice(0, error.offset).split("\n").length;
    throw new CommandError(`${file}:${line}: not JSON (${printParseErrorCode(error.error)}); repair it first`);
  }
  if (!isJsonObject(value)) throw new CommandError(`${file}:1: an object is expected; repair it first`);
  const [key = ""] = path;
  if (Object.hasOwn(value, key) && !isJsonObject(value[key])) {
    throw new CommandError(`${file}: "${key}" must be an object; repair it first`);
  }
  const indent = /^([ \t]+)\S/m.exec(source)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: source.includes("\r\n") ? "\r\n" : "\n",
  };
  // Behind the last member, the comment of that member would move to the new one.
  return applyEdits(source, modify(source, [...path], entry, { formattingOptions, getInsertionIndex: () => 0 }));
}
