// lethe call URL TOOL [JSON]: calls one tool and prints what it answers.
import { connect } from "@lethe/client/node";
import { type CallToolResult, type ContentBlock, isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { Command } from "commander";
import { CommandError, exitCode, exitCodeHelp } from "../exit-code.ts";
import { createStyle } from "../terminal/style.ts";
import { collectHeader } from "./headers.ts";
import { toCommandError } from "./reach.ts";
import { parseSeconds } from "./seconds.ts";

interface CallOptions {
  header: Record<string, string>;
  timeout: number;
  json?: boolean;
}

export const callCommand: Command = new Command("call")
  .description("call one tool of a server and print its answer")
  .argument("<url>", "where the server listens, for example http://localhost:3000/mcp")
  .argument("<tool>", "the tool's name, as `lethe list URL` shows it")
  .argument("[arguments]", "its arguments as one JSON object", "{}")
  .option("--header <name: value>", "sent with every request; may be given again", collectHeader, {})
  .option("--timeout <seconds>", "give up after this long", parseSeconds, 60_000)
  .option("--json", "print the whole result as JSON")
  .addHelpText(
    "after",
    `
Examples:
  lethe call http://localhost:3000/mcp everything__get-sum '{"a": 2, "b": 3}'
  lethe call http://localhost:3000/mcp/files read_text_file '{"path": "welcome.txt"}' --json
${exitCodeHelp}`,
  )
  .action(runCall);

async function runCall(url: string, tool: string, text: string, options: CallOptions): Promise<void> {
  const args = parseArguments(text);
  const progress = createStyle(process.stderr);
  try {
    const client = await connect(url, { headers: options.header, timeoutMs: options.timeout });
    try {
      const result = await client.callTool(tool, args, {
        timeoutMs: options.timeout,
        onProgress: ({ progress: done, total, message }) => {
          process.stderr.write(
            progress.dim(`${message ?? "progress"} ${done}${total === undefined ? "" : `/${total}`}\n`),
          );
        },
      });
      process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : toText(result));
      if (result.isError) process.exitCode = exitCode.toolError;
    } finally {
      await client.close();
    }
  } catch (error) {
    throw toCommandError(error, url);
  }
}

function parseArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`the arguments are not JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new CommandError(`the arguments must be one JSON object, got ${nameOf(value)}`);
  return value;
}

/** What a person wants to read of a result: the texts, and a word for everything that is not text. */
export function toText(result: CallToolResult): string {
  const lines = result.content.map(blockToText);
  if (lines.length === 0 && "structuredContent" in result)
    lines.push(JSON.stringify(result.structuredContent, null, 2));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function blockToText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case "resource_link":
      return `[link ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return `[${(block as { type: string }).type}]`;
  }
}
