// Several versions of one tool side by side: "greet" is the latest, and each version has a name of its own, such as "greet.v1".
import type { FeatureList } from "./feature-list.ts";
import { requireToolName, type ToolDefinition } from "./tool.ts";

/** Compares numbers by value: 1.10 comes after 1.9. Created on first use, because it takes 4 ms. */
let order: Intl.Collator | undefined;

/** Adds the versions of tools to a list. */
export class ToolVersions {
  readonly #tools: FeatureList<ToolDefinition>;
  /** By name, in ascending order. */
  readonly #versions = new Map<string, readonly ToolDefinition[]>();

  constructor(tools: FeatureList<ToolDefinition>) {
    this.#tools = tools;
  }

  /** Throws an Error when the tool is registered already, or one of two versions has no `version`. */
  add(definition: ToolDefinition): void {
    const { name, version } = definition.feature;
    const known = this.#versions.get(name) ?? [];
    if (known.length === 0 || !isOther(version, known)) {
      this.#tools.add(name, definition);
      this.#versions.set(name, [definition]);
      return;
    }
    const versions = [...known, definition].sort(compare);
    const added = (known.length === 1 ? versions : [definition]).map(toPinned);
    for (const pinned of added) this.#requireFree(pinned.feature.name);
    for (const pinned of added) this.#tools.add(pinned.feature.name, pinned);
    this.#setVersions(name, versions);
  }

  /** Removes a version by its own name, or all versions by the name that they share. */
  remove(name: string): boolean {
    const versions = this.#versions.get(name);
    if (versions !== undefined) {
      this.#versions.delete(name);
      if (versions.length > 1) for (const one of versions) this.#tools.remove(pinnedNameOf(one));
      return this.#tools.remove(name);
    }
    for (const [shared, all] of this.#versions) {
      const left = all.filter((one) => pinnedNameOf(one) !== name);
      if (all.length === 1 || left.length === all.length) continue;
      this.#tools.remove(name);
      this.#setVersions(shared, left);
      return true;
    }
    return this.#tools.remove(name);
  }

  /** Puts the latest version under the shared name. */
  #setVersions(name: string, versions: readonly ToolDefinition[]): void {
    const latest = versions.at(-1);
    if (latest !== undefined && this.#versions.get(name)?.at(-1) !== latest) {
      this.#tools.remove(name);
      this.#tools.add(name, latest);
    }
    const [only] = versions;
    if (versions.length === 1 && only !== undefined) this.#tools.remove(pinnedNameOf(only));
    this.#versions.set(name, versions);
  }

  #requireFree(name: string): void {
    if (this.#tools.has(name)) throw new Error(`tool ${JSON.stringify(name)} is already registered`);
  }
}

function isOther(version: string | undefined, known: readonly ToolDefinition[]): boolean {
  if (version === undefined) return false;
  return known.every(({ feature }) => feature.version !== undefined && feature.version !== version);
}

function compare(one: ToolDefinition, other: ToolDefinition): number {
  order ??= new Intl.Collator("en", { numeric: true });
  return order.compare(one.feature.version ?? "", other.feature.version ?? "");
}

function pinnedNameOf({ feature }: ToolDefinition): string {
  return `${feature.name}.v${feature.version}`;
}

function toPinned(definition: ToolDefinition): ToolDefinition {
  const name = requireToolName(pinnedNameOf(definition));
  const { tool, feature } = definition;
  return { ...definition, tool: { ...tool, name }, feature: Object.freeze({ ...feature, name }) };
}
