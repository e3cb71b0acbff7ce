// lethe list URL: prints the name and the features of a server.
import type { Client } from "@lethe/client";
import { errorCode, isMcpError, serverInfoOf } from "@lethe/protocol";
import { printJson } from "../output/print.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import type { ClientCommand } from "./client-command.ts";

export const listCommand: ClientCommand = {
  name: "list",
  description: "list the tools, resources and prompts of a server",
  words: [],
  mayAsk: false,
  examples: ["lethe list http://localhost:3000/mcp", "lethe list -- npx -y @modelcontextprotocol/server-everything"],
  plan:
    () =>
    async ({ client, isJson }) => {
      const offered = await readAll(client);
      if (isJson) printJson(offered);
      // Colours are control characters, so each text of the server is made printable on its own.
      else process.stdout.write(toText(client, offered, createStyle(process.stdout)));
    },
};

async function readAll(client: Client) {
  const { capabilities } = client.server;
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    capabilities.tools ? client.listTools() : [],
    capabilities.resources ? client.listResources() : [],
    capabilities.resources ? client.listResourceTemplates().catch(noneWhenUnknown) : [],
    capabilities.prompts ? client.listPrompts() : [],
  ]);
  return { tools, resources, resourceTemplates, prompts };
}

/** A server may have resources but no method for templates. */
function noneWhenUnknown(error: unknown): [] {
  if (isMcpError(error) && error.code === errorCode.methodNotFound) return [];
  throw error;
}

/** Limits for the length of a summary, in characters. A shorter summary is left out. */
const maxSummary = 90;
const minSummary = 12;

interface Listed {
  title: string;
  items: { name: string; description?: string | undefined }[];
}

function toText(client: Client, offered: Awaited<ReturnType<typeof readAll>>, style: Style): string {
  const lists: Listed[] = [
    { title: "Tools", items: offered.tools },
    {
      title: "Resources",
      items: offered.resources.map(({ uri, name, description }) => ({ name: uri, description: description ?? name })),
    },
    {
      title: "Resource templates",
      items: offered.resourceTemplates.map(({ uriTemplate, name, description }) => ({
        name: uriTemplate,
        description: description ?? name,
      })),
    },
    { title: "Prompts", items: offered.prompts },
  ];
  const filled = lists
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => `${style.bold(`${title} (${items.length})`)}\n${items.map(toLine).join("")}`);
  return [toTitle(client, style), ...(filled.length > 0 ? filled : ["The server offers nothing.\n"])].join("\n");

  function toLine({ name, description }: Listed["items"][number]): string {
    const shown = toPrintableLine(name);
    const summary = toPrintableLine(description?.split("\n")[0] ?? "");
    const room = Math.min(maxSummary, (process.stdout.columns ?? 200) - shown.length - 4);
    const short = summary.length > room ? `${summary.slice(0, Math.max(room - 1, 0))}…` : summary;
    return `  ${shown}${room >= minSummary && short !== "" ? style.dim(`  ${short}`) : ""}\n`;
  }
}

function toTitle({ server, connection }: Client, style: Style): string {
  const { name, version } = serverInfoOf(server) ?? { name: "A server without a name", version: "" };
  return `${style.bold(toPrintableLine(`${name} ${version}`))}${style.dim(`, revision ${connection.revision}`)}\n`;
}
