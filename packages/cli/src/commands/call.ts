// lethe call URL TOOL [JSON]: calls one tool and prints its result.

import type { Client } from "@lethe/client";
import type { JsonObject } from "@lethe/protocol";
import { argumentHelp, type GivenArguments, parseArguments } from "../arguments/argument-words.ts";
import { toToolArguments } from "../arguments/tool-arguments.ts";
import { exitCode } from "../exit-code.ts";
import { print, printJson } from "../output/print.ts";
import { toToolText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { explain, explainUnknown } from "./unknown-name.ts";

export const callCommand: ClientCommand = {
  name: "call",
  description: "call one tool of a server and print its result; input requests are shown in the terminal",
  words: [
    ["<tool>", "the name of the tool, as in `lethe list`"],
    ["[arguments...]", "its arguments as key=value, or as one JSON object; `lethe list` shows them"],
  ],
  mayAsk: true,
  examples: [
    "lethe call http://localhost:3000/mcp everything__get-sum a=2 b=3",
    `lethe call http://localhost:3000/mcp resolve_bug id=1 --answer '{"resolution": "Fixed"}'`,
    "lethe call read_text_file path=/tmp/a.txt -- npx -y @modelcontextprotocol/server-filesystem /tmp",
  ],
  help: `${argumentHelp}\n`,
  fails: ["toolError"],
  plan([tool = "", ...words]) {
    const given = parseArguments(words);
    return async ({ client, call, isJson, received }) => {
      const args = await resolve(client, tool, given);
      const result = await explainUnknown(client.callTool(tool, args, call), { client, kind: "tool", name: tool });
      received();
      if (isJson) printJson(result);
      else print(toToolText(result));
      if (!result.isError) return;
      process.exitCode = exitCode.toolError;
      // Some servers report an unknown tool as a result.
      const explanation = await explain(client, "tool", tool);
      if (explanation !== undefined) process.stderr.write(`${explanation}\n`);
    };
  },
};

/** Words need the schema of the tool. A tool that is not listed gets text. */
async function resolve(client: Client, tool: string, { json, words }: GivenArguments): Promise<JsonObject> {
  if (json !== undefined) return json;
  const listed = (await client.listTools()).find(({ name }) => name === tool);
  return toToolArguments(words, listed?.inputSchema ?? {});
}
