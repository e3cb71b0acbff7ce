// The tools that an MCP App may call by the names of its own server. An app is written for one server and does not know the prefix that
// a merged endpoint adds, and its host forwards the call as it is.
import { isJsonObject, type Tool } from "@lethe/protocol";
import type { ToolRoute } from "./route.ts";
import { uiReferenceOf } from "./ui-references.ts";

export interface OwnNamedTool {
  readonly route: ToolRoute;
  /** Whether the upstream offers apps, and the tool does not reserve itself for models. */
  readonly isForApps: boolean;
}

/** All tools by the names of their own upstreams. */
export type OwnNames = ReadonlyMap<string, readonly OwnNamedTool[]>;

export function toOwnNames(tools: readonly Tool[], routes: ReadonlyMap<string, ToolRoute>): OwnNames {
  const hosts = new Set<string>();
  for (const { name, _meta } of tools) {
    const upstream = routes.get(name)?.upstream;
    if (upstream !== undefined && uiReferenceOf(_meta) !== undefined) hosts.add(upstream);
  }
  const found = new Map<string, OwnNamedTool[]>();
  for (const tool of tools) {
    const route = routes.get(tool.name);
    if (!route) continue;
    const own = { route, isForApps: hosts.has(route.upstream) && isVisibleToApps(tool) };
    const same = found.get(route.name);
    if (same) same.push(own);
    else found.set(route.name, [own]);
  }
  return found;
}

/** Both by default. */
function isVisibleToApps({ _meta }: Tool): boolean {
  const visibility = isJsonObject(_meta) && isJsonObject(_meta.ui) ? _meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes("app");
}
