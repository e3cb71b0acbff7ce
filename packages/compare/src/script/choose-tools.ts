// Which tools a survey calls, and with which arguments.
import type { JsonObject, Tool } from "@lethe/protocol";
import { sampleArguments } from "./sample-arguments.ts";
import type { Survey } from "./script.ts";

/** Tools that one survey calls, in the order of the server's list. */
const maxCalledTools = 50;

export interface ChosenTool {
  readonly tool: Tool;
  readonly arguments: JsonObject;
}

export interface Choice {
  readonly chosen: readonly ChosenTool[];
  /** Tools that are not called, and why: a sentence without its end. */
  readonly left: ReadonlyMap<string, string>;
}

export function chooseTools(tools: readonly Tool[], { callAll = false, tools: names, kind }: Survey): Choice {
  const most = kind === "minimal" ? 1 : maxCalledTools;
  const chosen: ChosenTool[] = [];
  const left = new Map<string, string>();
  for (const tool of tools) {
    const isWanted = names ? names.includes(tool.name) : callAll || tool.annotations?.readOnlyHint === true;
    if (!isWanted) left.set(tool.name, names ? "--tool names others" : notReadOnly);
    else if (chosen.length === most) left.set(tool.name, `${most === 1 ? "one call is" : `${most} calls are`} enough`);
    else {
      try {
        chosen.push({ tool, arguments: sampleArguments(tool.inputSchema as JsonObject) });
      } catch (error) {
        left.set(tool.name, (error as Error).message);
      }
    }
  }
  for (const name of names ?? []) {
    if (!tools.some((tool) => tool.name === name)) left.set(name, "the server lists no tool of this name");
  }
  return { chosen, left };
}

const notReadOnly = "it is not annotated as read-only; --call-all calls every tool, --tool NAME calls one";

/** "not called: write, remove (…)": one entry for each reason, with at most so many names. */
const maxNames = 8;

export function describeSkipped(left: Choice["left"]): string {
  const names = new Map<string, string[]>();
  for (const [name, reason] of left) names.set(reason, [...(names.get(reason) ?? []), name]);
  return [...names]
    .map(([reason, of]) => {
      const more = of.length > maxNames ? ` and ${of.length - maxNames} more` : "";
      return `${of.slice(0, maxNames).join(", ")}${more} (${reason})`;
    })
    .join("; ");
}
