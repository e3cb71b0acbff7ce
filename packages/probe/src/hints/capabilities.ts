// Hints from declared capabilities, and from the names and annotations of tools.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Findings } from "../behaviour/findings.ts";
import { type Hint, type ScoredReason, toHint } from "./hint.ts";

type Declared = Pick<Findings, "modern" | "legacy" | "listing">;

export function hintFromCapabilities({ modern, legacy, listing }: Declared): Hint {
  const reasons: ScoredReason[] = [];
  if (modern.isSpoken) reasons.push({ score: -60, text: "it declares a revision without sessions" });
  const capabilities: JsonObject = { ...(modern.discovered?.capabilities ?? legacy.initialized?.capabilities) };
  if (!modern.isSpoken && legacy.isSpoken) reasons.push(...fromLegacy(capabilities));
  const tools = Array.isArray(listing?.tools) ? listing.tools.filter(isJsonObject) : [];
  reasons.push(...fromTools(tools));
  return toHint("capabilities", reasons);
}

/** In legacy revisions, these capabilities refer to later messages of the same session (D-22). */
function fromLegacy(capabilities: JsonObject): ScoredReason[] {
  const reasons: ScoredReason[] = [];
  const add = (score: number, text: string) => reasons.push({ score, text });
  const { resources, logging, tasks } = capabilities;
  if (isJsonObject(resources) && resources.subscribe === true)
    add(30, "subscriptions to resources belong to a session");
  if (logging !== undefined) add(15, "its log level belongs to a session");
  if (tasks !== undefined) add(20, "it runs tasks that outlive their request");
  const changing = ["tools", "resources", "prompts"].filter((name) => {
    const declared = capabilities[name];
    return isJsonObject(declared) && declared.listChanged === true;
  });
  if (changing.length > 0) add(10, `it notifies clients of changes of its ${changing.join(", ")}`);
  if (reasons.length === 0) add(-30, "it declares no capability that needs a session");
  return reasons;
}

const openers =
  /(?:^|[_-])(?:open|start|begin|connect|login|launch|attach|create[_-]session|navigate|select)(?:$|[_-])/i;
const closers =
  /(?:^|[_-])(?:close|stop|end|disconnect|logout|detach|commit|rollback|undo|resume|next|back)(?:$|[_-])/i;

function fromTools(tools: readonly JsonObject[]): ScoredReason[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ name }) => String(name));
  const opener = names.find((name) => openers.test(name));
  const closer = names.find((name) => closers.test(name));
  if (opener && closer) return [{ score: 30, text: `tools such as ${opener} and ${closer} are used in sequences` }];
  const isReadOnly = tools.every(({ annotations }) => isJsonObject(annotations) && annotations.readOnlyHint === true);
  return isReadOnly ? [{ score: -30, text: "all its tools are annotated as read-only" }] : [];
}
