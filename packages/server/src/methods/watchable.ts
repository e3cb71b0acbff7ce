// Decides which changes a caller may subscribe to (E-18): the advertised kinds, and the resources that it may read.
import { declaresTasks, type Exchange, type ServerCapabilities } from "@lethe/protocol";
import { requireDeclaredScopes } from "../auth/scopes.ts";
import { findTemplate, type Registry } from "../features/registry.ts";
import type { ChangeKind } from "../subscriptions/change.ts";

export function toChangeKinds(capabilities: ServerCapabilities): ReadonlySet<ChangeKind> {
  const { tools, prompts, resources } = capabilities;
  const kinds = new Set<ChangeKind>();
  if (tools?.listChanged) kinds.add("tools");
  if (prompts?.listChanged) kinds.add("prompts");
  if (resources?.listChanged) kinds.add("resources");
  if (resources?.subscribe) kinds.add("resource");
  if (declaresTasks(capabilities)) kinds.add("task");
  return kinds;
}

/** With a visibility rule, an unknown URI must look like a hidden one. */
export function mayWatch(registry: Registry, uri: string, exchange: Exchange): boolean {
  const { caller } = exchange;
  const definition = registry.resources.get(uri, caller) ?? findTemplate(registry, uri, caller)?.definition;
  if (definition === undefined) return !registry.resources.mayHide && !registry.resourceTemplates.mayHide;
  try {
    requireDeclaredScopes(exchange, definition.feature.scopes ?? []);
    return true;
  } catch {
    return false;
  }
}
