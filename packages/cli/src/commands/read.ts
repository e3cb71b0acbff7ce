// lethe read URL URI: prints a resource.
import { print, printJson } from "../output/print.ts";
import { toContentsText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";

export const readCommand: ClientCommand = {
  name: "read",
  description: "read one resource of a server and print it; into a pipe or a file, binary ones as they are",
  words: [["<uri>", "the resource's URI, as `lethe list` shows it"]],
  mayAsk: true,
  examples: [
    "lethe read http://localhost:3000/mcp demo://resource/static/document/features.md",
    "lethe read http://localhost:3000/mcp demo://resource/dynamic/blob/1 > blob",
  ],
  plan:
    ([uri = ""]) =>
    async ({ client, call, isJson }) => {
      const result = await client.readResource(uri, call);
      if (isJson) return printJson(result);
      for (const contents of result.contents) {
        if (process.stdout.isTTY) print(toContentsText(contents));
        else process.stdout.write("text" in contents ? contents.text : Buffer.from(contents.blob, "base64"));
      }
    },
};
