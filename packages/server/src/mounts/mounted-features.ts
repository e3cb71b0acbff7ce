// The features that one mount contributes to the lists of a server, and their replacement when the mounted server changes.

import type { Feature } from "../features/feature.ts";
import type { FeatureList } from "../features/feature-list.ts";
import type { PromptDefinition } from "../features/prompt.ts";
import type { Registry } from "../features/registry.ts";
import type { ResourceDefinition } from "../features/resource.ts";
import type { ResourceTemplateDefinition } from "../features/resource-template.ts";
import type { ToolDefinition } from "../features/tool.ts";
import type { MountRules } from "./mount-rules.ts";
import { toMountedPrompt, toMountedResource, toMountedTemplate, toMountedTool } from "./mounted-definition.ts";

/** The definitions of a server, in the order of its lists. */
export interface Definitions {
  readonly tools: Iterable<ToolDefinition>;
  readonly prompts: Iterable<PromptDefinition>;
  readonly resources: Iterable<ResourceDefinition>;
  readonly resourceTemplates: Iterable<ResourceTemplateDefinition>;
}

export interface MountedFeatures {
  /** Replaces what changed. A name that is taken is passed to `onCollision`, which may throw; then nothing has changed. */
  update(definitions: Definitions): void;
}

/** Called for a feature that cannot be mounted. */
export type OnRejected = (problem: string) => void;

export function createMountedFeatures(registry: Registry, rules: MountRules, onRejected: OnRejected): MountedFeatures {
  const lists = [
    createMountedList(registry.tools, (own: ToolDefinition) => toMountedTool(own, rules), onRejected),
    createMountedList(registry.prompts, (own: PromptDefinition) => toMountedPrompt(own, rules), onRejected),
    createMountedList(registry.resources, (own: ResourceDefinition) => toMountedResource(own, rules), onRejected),
    createMountedList(
      registry.resourceTemplates,
      (own: ResourceTemplateDefinition) => toMountedTemplate(own, rules),
      onRejected,
    ),
  ] as const;
  const [tools, prompts, resources, templates] = lists;
  return {
    update(definitions) {
      const changes = [
        tools(definitions.tools),
        prompts(definitions.prompts),
        resources(definitions.resources),
        templates(definitions.resourceTemplates),
      ];
      for (const apply of changes) apply();
    },
  };
}

interface Held<D> {
  readonly own: D;
  readonly mounted: D;
}

/** Returns a function that plans an update, and returns the function that carries it out. */
function createMountedList<D extends { readonly feature: Feature }>(
  list: FeatureList<D>,
  toMounted: (own: D) => D | undefined,
  onRejected: OnRejected,
): (definitions: Iterable<D>) => () => void {
  let held = new Map<string, Held<D>>();
  /** A definition is derived once, so that an unchanged feature is recognised. */
  const derived = new WeakMap<D, { readonly mounted: D | undefined }>();

  function derive(own: D): D | undefined {
    let known = derived.get(own);
    if (known === undefined) {
      known = { mounted: toMounted(own) };
      derived.set(own, known);
    }
    return known.mounted;
  }

  return (definitions) => {
    const next = new Map<string, Held<D>>();
    for (const own of definitions) {
      let mounted: D | undefined;
      try {
        mounted = derive(own);
      } catch (error) {
        onRejected(error instanceof Error ? error.message : String(error));
        continue;
      }
      if (mounted === undefined) continue;
      const { kind, name } = mounted.feature;
      if (next.has(name) || (list.has(name) && !held.has(name))) {
        onRejected(`${kind} ${JSON.stringify(name)} is already registered`);
        continue;
      }
      next.set(name, { own, mounted });
    }
    return () => {
      for (const [name, { own }] of held) if (next.get(name)?.own !== own) list.remove(name);
      for (const [name, { own, mounted }] of next) if (held.get(name)?.own !== own) list.add(name, mounted);
      held = next;
    };
  };
}
