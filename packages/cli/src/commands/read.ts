// lethe read URL URI: prints a resource.
import { print, printJson } from "../output/print.ts";
import { toContentsText } from "../output/result-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { explainUnknown } from "./unknown-name.ts";

export const readCommand: ClientCommand = {
  name: "read",
  description: "read one resource of a server and print it; a pipe or a file gets binary contents unchanged",
  words: [["<uri>", "the URI of the resource, as in `lethe list`"]],
  mayAsk: true,
  examples: [
    "lethe read http://localhost:3000/mcp demo://resource/static/document/features.md",
    "lethe read http://localhost:3000/mcp demo://resource/dynamic/blob/1 > blob",
  ],
  plan:
    ([uri = ""]) =>
    async ({ client, call, isJson, received }) => {
      const result = await explainUnknown(client.readResource(uri, call), { client, kind: "resource", name: uri });
      received();
      if (isJson) return printJson(result);
      for (const contents of result.contents) {
        if (process.stdout.isTTY) print(toContentsText(contents));
        else process.stdout.write("text" in contents ? contents.text : Buffer.from(contents.blob, "base64"));
      }
    },
};
