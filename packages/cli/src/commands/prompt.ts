// lethe prompt URL NAME [JSON]: prints the messages of a prompt.
import { nameOf } from "@lethe/protocol";
import { parseArguments } from "../arguments/argument-words.ts";
import { CommandError } from "../exit-code.ts";
import { print, printJson } from "../output/print.ts";
import { toPromptText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { explainUnknown } from "./unknown-name.ts";

export const promptCommand: ClientCommand = {
  name: "prompt",
  description: "get one prompt of a server and print its messages",
  words: [
    ["<name>", "the name of the prompt, as in `lethe list`"],
    ["[arguments...]", "its arguments as key=value, or as one JSON object of strings"],
  ],
  mayAsk: true,
  examples: ["lethe prompt http://localhost:3000/mcp everything__args-prompt city=Paris"],
  plan([name = "", ...given]) {
    const args = toTexts(given);
    return async ({ client, call, isJson, received }) => {
      const result = await explainUnknown(client.getPrompt(name, args, call), { client, kind: "prompt", name });
      received();
      if (isJson) printJson(result);
      else print(toPromptText(result));
    };
  },
};

/** Prompts take only text. */
function toTexts(given: readonly string[]): { [name: string]: string } {
  const { json, words } = parseArguments(given);
  const pairs = json === undefined ? words.map(({ key, text }) => [key, text] as const) : Object.entries(json);
  const entries = pairs.map(([name, value]) => {
    if (typeof value === "string") return [name, value] as const;
    throw new CommandError(`the argument "${name}" of a prompt must be a string, got ${nameOf(value)}`);
  });
  return Object.fromEntries(entries);
}
