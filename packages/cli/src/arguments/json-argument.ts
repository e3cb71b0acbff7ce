// Parses a JSON object from one argument of the command line.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";

const example = `write them like '{"name": "Ada"}'`;

export function parseJsonArgument(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`the arguments are not JSON: ${(error as Error).message}; ${example}`);
  }
  if (!isJsonObject(value))
    throw new CommandError(`the arguments must be one JSON object, got ${nameOf(value)}; ${example}`);
  return value;
}
