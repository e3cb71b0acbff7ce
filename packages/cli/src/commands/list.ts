// lethe list URL: what a server offers.
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { collectHeader } from "./headers.ts";
import { toCommandError } from "./reach.ts";
import { parseSeconds } from "./seconds.ts";

interface ListOptions {
  header: Record<string, string>;
  timeout: number;
  json?: boolean;
}

export const listCommand: Command = new Command("list")
  .description("list the tools, resources and prompts of a server")
  .argument("<url>", "where the server listens, for example http://localhost:3000/mcp")
  .option("--header <name: value>", "sent with every request; may be given again", collectHeader, {})
  .option("--timeout <seconds>", "give up after this long", parseSeconds, 60_000)
  .option("--json", "print everything as one JSON object")
  .addHelpText("after", `\nExample:\n  lethe list http://localhost:3000/mcp\n${exitCodeHelp}`)
  .action(runList);

interface Listed {
  title: string;
  items: { name: string; description?: string | undefined }[];
}

async function runList(url: string, options: ListOptions): Promise<void> {
  try {
    const client = await connect(url, { headers: options.header, timeoutMs: options.timeout });
    try {
      const offered = await readAll(client);
      process.stdout.write(
        options.json ? `${JSON.stringify(offered, null, 2)}\n` : toText(offered, createStyle(process.stdout)),
      );
    } finally {
      await client.close();
    }
  } catch (error) {
    throw toCommandError(error, url);
  }
}

async function readAll(client: Client) {
  const { capabilities } = await client.discover();
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    capabilities.tools ? client.listTools() : [],
    capabilities.resources ? client.listResources() : [],
    capabilities.resources ? client.listResourceTemplates() : [],
    capabilities.prompts ? client.listPrompts() : [],
  ]);
  return { tools, resources, resourceTemplates, prompts };
}

function toText(offered: Awaited<ReturnType<typeof readAll>>, style: Style): string {
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
  const filled = lists.filter(({ items }) => items.length > 0);
  if (filled.length === 0) return "The server offers nothing.\n";
  return filled
    .map(({ title, items }) => `${style.bold(`${title} (${items.length})`)}\n${items.map(toLine).join("")}`)
    .join("\n");

  function toLine({ name, description }: Listed["items"][number]): string {
    const summary = description?.split("\n")[0] ?? "";
    return `  ${name}${summary ? style.dim(`  ${summary.length > 90 ? `${summary.slice(0, 89)}…` : summary}`) : ""}\n`;
  }
}
