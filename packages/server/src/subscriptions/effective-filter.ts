// The effective filter of a subscription: the requested notifications that the server supports and the caller may see (E-11, E-18, F-13).
import {
  type Exchange,
  invalidParams,
  type KnownOptions,
  type ListenFilter,
  type ModernRequest,
  parseListenFilter,
  requireTasks,
} from "@lethe/protocol";
import { type ChangeKind, resourceTopic, taskTopic } from "./change.ts";

export interface FilterOptions {
  /** The kinds of change that the server supports, read at each new subscription. */
  supports: () => ReadonlySet<ChangeKind>;
  /** False omits the URI from the acknowledgement, as if it did not exist. Default: every URI may be watched. */
  mayWatch?: (uri: string, exchange: Exchange) => boolean | Promise<boolean>;
  /** The same for tasks. Default: no task may be watched. */
  mayFollow?: (taskId: string, exchange: Exchange) => boolean | Promise<boolean>;
  /** Limits URIs and task ids, each. Default 1,000. */
  maxUrisPerStream?: number;
}

export const knownFilterOptions: KnownOptions<FilterOptions> = {
  supports: "a function",
  mayWatch: true,
  mayFollow: true,
  maxUrisPerStream: true,
};

/** Returns the filter to acknowledge: strings unchanged, without repetitions. Throws McpError. */
export async function toEffectiveFilter(
  request: ModernRequest,
  exchange: Exchange,
  options: FilterOptions,
): Promise<ListenFilter> {
  const wanted = parseListenFilter(request.params);
  const kinds = options.supports();
  const effective: ListenFilter = {};
  if (wanted.toolsListChanged && kinds.has("tools")) effective.toolsListChanged = true;
  if (wanted.promptsListChanged && kinds.has("prompts")) effective.promptsListChanged = true;
  if (wanted.resourcesListChanged && kinds.has("resources")) effective.resourcesListChanged = true;
  if (wanted.resourceSubscriptions && kinds.has("resource")) {
    const uris = distinct("resourceSubscriptions", wanted.resourceSubscriptions, options);
    effective.resourceSubscriptions = options.mayWatch ? await allowed(uris, exchange, options.mayWatch) : uris;
  }
  if (wanted.taskIds && kinds.has("task")) {
    requireTasks(request);
    const ids = distinct("taskIds", wanted.taskIds, options);
    effective.taskIds = options.mayFollow ? await allowed(ids, exchange, options.mayFollow) : [];
  }
  return effective;
}

export function topicsOf(effective: ListenFilter): readonly string[] {
  const topics: string[] = [];
  if (effective.toolsListChanged) topics.push("tools");
  if (effective.promptsListChanged) topics.push("prompts");
  if (effective.resourcesListChanged) topics.push("resources");
  for (const uri of effective.resourceSubscriptions ?? []) topics.push(resourceTopic(uri));
  for (const taskId of effective.taskIds ?? []) topics.push(taskTopic(taskId));
  return topics;
}

function distinct(member: string, names: readonly string[], { maxUrisPerStream = 1000 }: FilterOptions): string[] {
  const unique = [...new Set(names)];
  if (unique.length <= maxUrisPerStream) return unique;
  throw invalidParams(
    `invalid params: "notifications.${member}" may hold at most ${maxUrisPerStream} entries, got ${unique.length}`,
  );
}

async function allowed(
  names: readonly string[],
  exchange: Exchange,
  may: (name: string, exchange: Exchange) => boolean | Promise<boolean>,
): Promise<string[]> {
  const verdicts = await Promise.all(names.map((name) => may(name, exchange)));
  return names.filter((_, index) => verdicts[index] === true);
}
