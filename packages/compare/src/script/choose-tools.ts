// Chooses the tools that a survey calls, and their arguments.
import type { JsonObject, Tool } from "@lethe/protocol";
import { sampleArguments } from "./sample-arguments.ts";
import type { Survey } from "./script.ts";

/** Tools that one survey calls at limit, in the order of the server's list. */
const maxCalledTools = 50;

export interface ChosenTool {
  readonly tool: Tool;
  readonly arguments: JsonObject;
}

export interface Choice {
  readonly chosen: readonly ChosenTool[];
  /** Tools that are not called, with the reason as a clause. */
  readonly skipped: ReadonlyMap<string, string>;
}

export function chooseTools(tools: readonly Tool[], { callAll = false, tools: names, kind }: Survey): Choice {
  const limit = kind === "minimal" ? 1 : maxCalledTools;
  const chosen: ChosenTool[] = [];
  const skipped = new Map<string, string>();
  for (const tool of tools) {
    const isWanted = names ? names.includes(tool.name) : callAll || tool.annotations?.readOnlyHint === true;
    if (!isWanted) skipped.set(tool.name, names ? "--tool names others" : notReadOnly);
    else if (chosen.length === limit)
      skipped.set(tool.name, `${limit === 1 ? "one call is" : `${limit} calls are`} enough`);
    else {
      try {
        chosen.push({ tool, arguments: sampleArguments(tool.inputSchema as JsonObject) });
      } catch (error) {
        skipped.set(tool.name, (error as Error).message);
      }
    }
  }
  for (const name of names ?? []) {
    if (!tools.some((tool) => tool.name === name)) skipped.set(name, "the server lists no tool of this name");
  }
  return { chosen, skipped };
}

const notReadOnly = "it is not annotated as read-only; --call-all calls every tool, --tool NAME calls one";

/** Names listed for each reason. */
const maxNames = 8;

export function describeSkipped(skipped: Choice["skipped"]): string {
  const names = new Map<string, string[]>();
  for (const [name, reason] of skipped) names.set(reason, [...(names.get(reason) ?? []), name]);
  return [...names]
    .map(([reason, of]) => {
      const more = of.length > maxNames ? ` and ${of.length - maxNames} more` : "";
      return `${of.slice(0, maxNames).join(", ")}${more} (${reason})`;
    })
    .join("; ");
}
