// Which of the wanted notifications a subscription gets: what the server has and the caller may see (E-11, E-18, F-13).
import {
  type Exchange,
  invalidParams,
  type ListenFilter,
  type ModernRequest,
  parseListenFilter,
  requireTasks,
} from "@lethe/protocol";
import { type ChangeKind, resourceTopic, taskTopic } from "./change.ts";

export interface HonourOptions {
  /** What the server can tell of, asked at each new subscription. */
  supports: () => ReadonlySet<ChangeKind>;
  /** False leaves the URI out of the acknowledgement, as if it did not exist. Default: every URI may be watched. */
  mayWatch?: (uri: string, exchange: Exchange) => boolean | Promise<boolean>;
  /** The same for tasks. Default: no task may be watched. */
  mayFollow?: (taskId: string, exchange: Exchange) => boolean | Promise<boolean>;
  /** Bounds URIs and task ids, each. Default 1000. */
  maxUrisPerStream?: number;
}

/** The honoured subset, to be acknowledged: strings as they came, each once (E-19). Throws McpError. */
export async function honour(
  request: ModernRequest,
  exchange: Exchange,
  options: HonourOptions,
): Promise<ListenFilter> {
  const wanted = parseListenFilter(request.params);
  const kinds = options.supports();
  const honoured: ListenFilter = {};
  if (wanted.toolsListChanged && kinds.has("tools")) honoured.toolsListChanged = true;
  if (wanted.promptsListChanged && kinds.has("prompts")) honoured.promptsListChanged = true;
  if (wanted.resourcesListChanged && kinds.has("resources")) honoured.resourcesListChanged = true;
  if (wanted.resourceSubscriptions && kinds.has("resource")) {
    const uris = distinct("resourceSubscriptions", wanted.resourceSubscriptions, options);
    honoured.resourceSubscriptions = options.mayWatch ? await allowed(uris, exchange, options.mayWatch) : uris;
  }
  if (wanted.taskIds && kinds.has("task")) {
    requireTasks(request);
    const ids = distinct("taskIds", wanted.taskIds, options);
    honoured.taskIds = options.mayFollow ? await allowed(ids, exchange, options.mayFollow) : [];
  }
  return honoured;
}

export function topicsOf(honoured: ListenFilter): readonly string[] {
  const topics: string[] = [];
  if (honoured.toolsListChanged) topics.push("tools");
  if (honoured.promptsListChanged) topics.push("prompts");
  if (honoured.resourcesListChanged) topics.push("resources");
  for (const uri of honoured.resourceSubscriptions ?? []) topics.push(resourceTopic(uri));
  for (const taskId of honoured.taskIds ?? []) topics.push(taskTopic(taskId));
  return topics;
}

function distinct(member: string, names: readonly string[], { maxUrisPerStream = 1000 }: HonourOptions): string[] {
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
