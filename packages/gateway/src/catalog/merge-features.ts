// The merged capabilities of several upstreams, as far as the gateway passes them on (J-61), and their merged instructions.
import { type ServerCapabilities, tasksExtension } from "@lethe/protocol";
import { mergeExtensions } from "../extensions/offered-extensions.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

/** The lists of a gateway change when an upstream is added or removed, regardless of what the upstream declares. */
export function mergeCapabilities(catalogs: readonly UpstreamCatalog[], hasTasks: boolean): ServerCapabilities {
  const offered = catalogs.map(({ discover }) => discover.capabilities);
  const merged: ServerCapabilities = {};
  if (offered.some(({ tools }) => tools)) merged.tools = { listChanged: true };
  if (offered.some(({ prompts }) => prompts)) merged.prompts = { listChanged: true };
  if (offered.some(({ resources }) => resources)) {
    const isWatchable = offered.some(({ resources }) => resources?.subscribe);
    merged.resources = isWatchable ? { subscribe: true, listChanged: true } : { listChanged: true };
  }
  if (offered.some(({ completions }) => completions)) merged.completions = {};
  if (offered.some(({ logging }) => logging)) merged.logging = {};
  const { extensions, experimental } = mergeExtensions(catalogs.map((catalog) => catalog.offered));
  if (experimental) merged.experimental = experimental;
  if (extensions || hasTasks) merged.extensions = { ...extensions, ...(hasTasks && { [tasksExtension]: {} }) };
  return merged;
}

/**
 * An upstream that was not read yet may have any feature. Until then all lists are declared, empty and changing, because
 * clients would not ask again for an undeclared one.
 */
export function withUnread(capabilities: ServerCapabilities): ServerCapabilities {
  const may = { listChanged: true };
  return { tools: may, prompts: may, resources: may, ...capabilities };
}

/** The instructions of one upstream unchanged, or of several with their names, so that a model can attribute them. */
export function mergeInstructions(catalogs: readonly UpstreamCatalog[]): string | undefined {
  const given = catalogs.flatMap(({ upstream, discover }) =>
    discover.instructions ? [{ upstream, instructions: discover.instructions }] : [],
  );
  if (catalogs.length === 1) return given[0]?.instructions;
  if (given.length === 0) return undefined;
  return given.map(({ upstream, instructions }) => `# ${upstream}\n\n${instructions}`).join("\n\n");
}
