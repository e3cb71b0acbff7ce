// lethe list URL: prints the name and the features of a server.
import type { Client } from "@lethe/client";
import { errorCode, isMcpError, serverInfoOf, type Tool } from "@lethe/protocol";
import { printJson } from "../output/print.ts";
import { toPromptUsage, toToolUsage } from "../output/usage.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import type { ClientCommand } from "./client-command.ts";

export const listCommand: ClientCommand = {
  name: "list",
  description: "list the tools with their arguments, the resources and the prompts of a server",
  words: [],
  mayAsk: false,
  verbose: "whole descriptions, and the schemas of tools",
  examples: ["lethe list http://localhost:3000/mcp", "lethe list -- npx -y @modelcontextprotocol/server-everything"],
  plan:
    () =>
    async ({ client, isJson, isVerbose, received }) => {
      const offered = await readAll(client);
      received();
      if (isJson) printJson(offered);
      // Colours are control characters, so each text of the server is made printable on its own.
      else process.stdout.write(toText(client, offered, { style: createStyle(process.stdout), isVerbose }));
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

interface Item {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** What a caller should know before a call, such as "read-only". */
  readonly hints?: readonly string[];
  /** The arguments as on the command line. */
  readonly usage?: string;
  readonly schemas?: Readonly<Record<string, unknown>>;
}

interface Format {
  readonly style: Style;
  readonly isVerbose: boolean;
}

function toText(client: Client, offered: Awaited<ReturnType<typeof readAll>>, format: Format): string {
  const { style } = format;
  const lists: { title: string; items: Item[] }[] = [
    { title: "Tools", items: offered.tools.map(toToolItem) },
    {
      title: "Resources",
      items: offered.resources.map(({ uri, name, title, description }) => ({
        name: uri,
        description: description ?? title ?? name,
      })),
    },
    {
      title: "Resource templates",
      items: offered.resourceTemplates.map(({ uriTemplate, name, title, description }) => ({
        name: uriTemplate,
        description: description ?? title ?? name,
      })),
    },
    {
      title: "Prompts",
      items: offered.prompts.map((prompt) => ({ ...prompt, usage: toPromptUsage(prompt.arguments) })),
    },
  ];
  const filled = lists
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => {
      const lines = items.map((item) => toLines(item, format)).join("");
      return `${style.bold(`${title} (${items.length})`)}\n${lines}`;
    });
  return [toTitle(client, style), ...(filled.length > 0 ? filled : ["The server offers nothing.\n"])].join("\n");
}

function toToolItem({ name, title, description, annotations, inputSchema, outputSchema }: Tool): Item {
  const hints = [
    ...(annotations?.readOnlyHint === true ? ["read-only"] : []),
    ...(annotations?.destructiveHint === true && annotations.readOnlyHint !== true ? ["destructive"] : []),
    ...(annotations?.idempotentHint === true && annotations.readOnlyHint !== true ? ["idempotent"] : []),
  ];
  const schemas = { input: inputSchema, ...(outputSchema && { output: outputSchema }) };
  return { name, title: title ?? annotations?.title, description, hints, usage: toToolUsage(inputSchema), schemas };
}

/** One line for the name and summary, one for the arguments. */
function toLines(
  { name, title, description, hints = [], usage = "", schemas }: Item,
  { style, isVerbose }: Format,
): string {
  const shown = toPrintableLine(name);
  const heading = title === undefined || title === name ? "" : toPrintableLine(title);
  const hint = hints.length === 0 ? "" : `  [${hints.join(", ")}]`;
  const arguments_ = usage === "" ? "" : `      ${usage}\n`;
  if (isVerbose) {
    const text = [heading, description ?? ""].filter((part) => part !== "").map((part) => indent(toPrintable(part)));
    const shapes = Object.entries(schemas ?? {}).map(([kind, schema]) =>
      style.dim(indent(`${kind}: ${toPrintable(JSON.stringify(schema, null, 2))}`)),
    );
    return `  ${shown}${style.dim(hint)}\n${arguments_}${[...text, ...shapes].join("")}`;
  }
  const first = toPrintableLine(description?.split("\n")[0] ?? "");
  const summary = heading === "" || first === "" ? heading || first : `${heading}: ${first}`;
  const room = Math.min(maxSummary, (process.stdout.columns ?? 200) - shown.length - hint.length - 4);
  const short = summary.length > room ? `${summary.slice(0, Math.max(room - 1, 0))}…` : summary;
  return `  ${shown}${style.dim(`${room >= minSummary && short !== "" ? `  ${short}` : ""}${hint}`)}\n${arguments_}`;
}

function indent(text: string): string {
  return `${text.replace(/^/gm, "      ")}\n`;
}

function toTitle({ server, connection }: Client, style: Style): string {
  const { name, version } = serverInfoOf(server) ?? { name: "A server without a name", version: "" };
  return `${style.bold(toPrintableLine(`${name} ${version}`))}${style.dim(`, revision ${connection.revision}`)}\n`;
}
