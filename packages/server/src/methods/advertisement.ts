// The capabilities that a server advertises (E.1). A kind is advertised from its first feature on, and stays so
// after the last one was removed, because clients may still request the list.
import {
  type CacheHints,
  type DiscoverResult,
  type JsonObject,
  modernRevisions,
  type ServerCapabilities,
  tasksExtension,
  withReadyText,
} from "@lethe/protocol";
import type { Registry } from "../features/registry.ts";

export interface Advertisement {
  readonly capabilities: ServerCapabilities;
  /** The result of server/discover, as serialized text. */
  readonly discover: Readonly<DiscoverResult>;
}

export interface AdvertisementOptions {
  registry: Registry;
  /** Advertised independently of features. */
  capabilities: ServerCapabilities;
  /** Whether `ctx.log` sends anything. */
  hasLogging: boolean;
  instructions: string | undefined;
  cache: CacheHints;
  resultMeta: JsonObject | undefined;
}

export interface Advertiser {
  current(): Advertisement;
  /** Call it when the capabilities of the options changed. It follows the features by itself. */
  refresh(): void;
}

export function createAdvertiser(options: AdvertisementOptions): Advertiser {
  let current: Advertisement | undefined;
  let isStale = true;
  const refresh = (): void => {
    isStale = true;
  };
  options.registry.onChange(refresh);
  return {
    current() {
      if (current === undefined || isStale) current = toAdvertisement(options, current);
      isStale = false;
      return current;
    },
    refresh,
  };
}

function toAdvertisement(options: AdvertisementOptions, before: Advertisement | undefined): Advertisement {
  const { instructions, cache, resultMeta } = options;
  const capabilities = capabilitiesOf(options, before?.capabilities);
  const discover = withReadyText<DiscoverResult>({
    resultType: "complete",
    supportedVersions: [...modernRevisions],
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ttlMs: cache.ttlMs,
    cacheScope: cache.cacheScope,
    ...(resultMeta && { _meta: resultMeta }),
  });
  return { capabilities, discover };
}

function capabilitiesOf(options: AdvertisementOptions, before: ServerCapabilities | undefined): ServerCapabilities {
  const { tools, prompts, resources, resourceTemplates } = options.registry;
  const hasResources = resources.size > 0 || resourceTemplates.size > 0;
  const extensions = {
    ...before?.extensions,
    ...(hasTasks(options.registry) && { [tasksExtension]: {} }),
    ...options.capabilities.extensions,
  };
  return {
    ...before,
    ...(options.hasLogging && { logging: {} }),
    ...(tools.size > 0 && { tools: { listChanged: true } }),
    ...(prompts.size > 0 && { prompts: { listChanged: true } }),
    ...(hasResources && { resources: { listChanged: true, subscribe: true } }),
    ...(hasCompleters(options.registry) && { completions: {} }),
    ...options.capabilities,
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}

/** Only a server with task tools advertises tasks. */
function hasTasks({ tools }: Registry): boolean {
  for (const { task, forward } of tools.all()) if (task.mode !== "never" || forward?.hasTasks) return true;
  return false;
}

function hasCompleters({ prompts, resourceTemplates }: Registry): boolean {
  for (const { completers, forward } of prompts.all()) if (completers.size > 0 || forward?.completes) return true;
  for (const { completers, forward } of resourceTemplates.all()) {
    if (completers.size > 0 || forward?.completes) return true;
  }
  return false;
}
