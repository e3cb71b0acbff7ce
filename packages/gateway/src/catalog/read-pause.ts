// How long the lists of an upstream that announces changes are not read again.
import type { UpstreamCatalog } from "./read-catalog.ts";

/** Between two readings of an upstream that announces changes, in ms. */
const shortestRestMs = 250;
const restPerItemMs = 0.2;

/** An upstream with long lists is read less often, so that it takes no more of the gateway than one with short lists. */
export function readPauseOf(catalog: UpstreamCatalog | undefined): number {
  return catalog ? Math.max(shortestRestMs, itemsOf(catalog) * restPerItemMs) : shortestRestMs;
}

/** The number of items in all lists. */
export function itemsOf({ tools, prompts, resources, templates }: UpstreamCatalog): number {
  return tools.length + prompts.length + resources.length + templates.length;
}
