// Signs that the tools of an upstream keep state between calls, computed once per list of tools.
import { signsOfKeptState } from "@lethe/probe";
import type { Tool } from "@lethe/protocol";

const known = new WeakMap<readonly Tool[], readonly string[]>();

export function keptStateOf(tools: readonly Tool[]): readonly string[] {
  let signs = known.get(tools);
  if (!signs) {
    signs = signsOfKeptState(tools);
    known.set(tools, signs);
  }
  return signs;
}
