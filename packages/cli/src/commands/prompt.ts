// lethe prompt URL NAME [JSON]: prints the messages of a prompt.
import { nameOf } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { print, printJson } from "../output/print.ts";
import { toPromptText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { parseJsonArgument } from "./json-argument.ts";

export const promptCommand: ClientCommand = {
  name: "prompt",
  description: "get one prompt of a server and print its messages",
  words: [
    ["<name>", "the name of the prompt, as in `lethe list`"],
    ["[arguments]", "its arguments as one JSON object of strings"],
  ],
  mayAsk: true,
  examples: [`lethe prompt http://localhost:3000/mcp everything__args-prompt '{"city": "Paris"}'`],
  plan([name = "", text = "{}"]) {
    const args = parseTexts(text);
    return async ({ client, call, isJson }) => {
      const result = await client.getPrompt(name, args, call);
      if (isJson) printJson(result);
      else print(toPromptText(result));
    };
  },
};

function parseTexts(text: string): { [name: string]: string } {
  const entries = Object.entries(parseJsonArgument(text)).map(([name, value]) => {
    if (typeof value === "string") return [name, value] as const;
    throw new CommandError(`the argument "${name}" of a prompt must be a string, got ${nameOf(value)}`);
  });
  return Object.fromEntries(entries);
}
