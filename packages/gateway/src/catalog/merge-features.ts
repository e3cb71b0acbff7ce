// What several upstreams offer together, as far as the gateway relays it (J-61), and how they say that it is to be used.
import { type ServerCapabilities, tasksExtension } from "@lethe/protocol";
import type { UpstreamCatalog } from "./read-catalog.ts";

/** The lists of a gateway change when an upstream comes or goes, whatever the upstream itself says of its lists. */
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
  if (hasTasks) merged.extensions = { [tasksExtension]: {} };
  return merged;
}

/**
 * As long as an upstream was not read, it may have anything: whoever asks meanwhile finds lists that are empty and change,
 * rather than none, which they would not ask for again.
 */
export function withUnread(capabilities: ServerCapabilities): ServerCapabilities {
  const may = { listChanged: true };
  return { tools: may, prompts: may, resources: may, ...capabilities };
}

/** Of one upstream as they are; of several under their names, so that a model knows whose they are. */
export function mergeInstructions(catalogs: readonly UpstreamCatalog[]): string | undefined {
  const given = catalogs.flatMap(({ upstream, discover }) =>
    discover.instructions ? [{ upstream, instructions: discover.instructions }] : [],
  );
  if (catalogs.length === 1) return given[0]?.instructions;
  if (given.length === 0) return undefined;
  return given.map(({ upstream, instructions }) => `# ${upstream}\n\n${instructions}`).join("\n\n");
}
