// Merges the filters of several subscribers into the filter of one stream, and splits grants back (E-10, E-19).
import type { KnownOptions, ListenFilter } from "@lethe/protocol";

export const knownListenFilter: KnownOptions<ListenFilter> = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: "an array?",
  taskIds: "an array?",
};

/** The union of the filters. A URI of several filters occurs once. */
export function unionOf(filters: Iterable<ListenFilter>): ListenFilter {
  const union: ListenFilter = {};
  const uris = new Set<string>();
  const taskIds = new Set<string>();
  for (const filter of filters) {
    if (filter.toolsListChanged) union.toolsListChanged = true;
    if (filter.promptsListChanged) union.promptsListChanged = true;
    if (filter.resourcesListChanged) union.resourcesListChanged = true;
    for (const uri of filter.resourceSubscriptions ?? []) uris.add(uri);
    for (const taskId of filter.taskIds ?? []) taskIds.add(taskId);
  }
  if (uris.size > 0) union.resourceSubscriptions = [...uris];
  if (taskIds.size > 0) union.taskIds = [...taskIds];
  return union;
}

/** The intersection of a filter with another one. */
export type Intersect = (other: ListenFilter) => ListenFilter;

/** For the intersections of one filter with those of many subscribers. */
export function intersectionsWith(one: ListenFilter): Intersect {
  const uris = new Set(one.resourceSubscriptions);
  const taskIds = new Set(one.taskIds);
  return (other) => {
    const both: ListenFilter = {};
    if (one.toolsListChanged && other.toolsListChanged) both.toolsListChanged = true;
    if (one.promptsListChanged && other.promptsListChanged) both.promptsListChanged = true;
    if (one.resourcesListChanged && other.resourcesListChanged) both.resourcesListChanged = true;
    const bothUris = common(uris, other.resourceSubscriptions);
    if (bothUris) both.resourceSubscriptions = bothUris;
    const bothTaskIds = common(taskIds, other.taskIds);
    if (bothTaskIds) both.taskIds = bothTaskIds;
    return both;
  };
}

/** True if a stream with filter `whole` delivers everything that `part` asks for. */
export function covers(whole: ListenFilter, part: ListenFilter): boolean {
  return sizeOf(intersectionsWith(whole)(part)) === sizeOf(unionOf([part]));
}

function common(known: ReadonlySet<string>, other: string[] = []): string[] | undefined {
  const both = [...new Set(other)].filter((item) => known.has(item));
  return both.length > 0 ? both : undefined;
}

function sizeOf(filter: ListenFilter): number {
  const { resourceSubscriptions = [], taskIds = [], ...flags } = filter;
  return Object.keys(flags).length + resourceSubscriptions.length + taskIds.length;
}
