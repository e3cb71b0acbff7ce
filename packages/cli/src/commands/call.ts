// lethe call URL TOOL [JSON]: calls one tool and prints its result.
import { exitCode } from "../exit-code.ts";
import { print, printJson } from "../output/print.ts";
import { toToolText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { parseJsonArgument } from "./json-argument.ts";

export const callCommand: ClientCommand = {
  name: "call",
  description: "call one tool of a server and print its result; input requests are shown in the terminal",
  words: [
    ["<tool>", "the name of the tool, as in `lethe list`"],
    ["[arguments]", "its arguments as one JSON object"],
  ],
  mayAsk: true,
  examples: [
    `lethe call http://localhost:3000/mcp everything__get-sum '{"a": 2, "b": 3}'`,
    `lethe call http://localhost:3000/mcp resolve_bug '{"id": 1}' --answer '{"resolution": "Fixed"}'`,
    `lethe call read_text_file '{"path": "/tmp/a.txt"}' -- npx -y @modelcontextprotocol/server-filesystem /tmp`,
  ],
  plan([tool = "", text = "{}"]) {
    const args = parseJsonArgument(text);
    return async ({ client, call, isJson }) => {
      const result = await client.callTool(tool, args, call);
      if (isJson) printJson(result);
      else print(toToolText(result));
      if (result.isError) process.exitCode = exitCode.toolError;
    };
  },
};
