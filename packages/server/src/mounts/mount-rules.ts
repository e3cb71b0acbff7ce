// The compiled options of one mount: which features it takes, their public names and their visibility.
import { nameSeparator, toPrefixedName } from "@lethe/protocol";
import { defining } from "../features/defining.ts";
import type { CallerRule, Feature, Visibility } from "../features/feature.ts";
import type { FeatureSelection, MountedDefinition, MountOptions } from "./mount-options.ts";

export interface MountRules {
  readonly prefix: string;
  /** Whether a feature with this own name and these tags is mounted. */
  takes(name: string, tags: readonly string[]): boolean;
  transform(definition: MountedDefinition): MountedDefinition | undefined;
  toPublicName(name: string): string;
  /** The rule of the mounted feature for a caller. Undefined: every caller sees it. */
  visibilityOf(feature: Feature): CallerRule | undefined;
}

const legalPrefix = /^[A-Za-z0-9_-]{0,64}$/;

/** `serverRule` is the rule of the mounted server. Throws an Error that names the option. */
export function createMountRules(prefix: string, options: MountOptions, serverRule?: Visibility): MountRules {
  defining(`mount ${JSON.stringify(prefix)}: prefix`, () => {
    if (!legalPrefix.test(prefix)) throw new Error("up to 64 of A-Z a-z 0-9 _ - expected");
    if (prefix.includes(nameSeparator)) throw new Error(`"${nameSeparator}" separates the prefix from the name`);
  });
  const isIncluded = options.include ? createSelector(options.include) : () => true;
  const isExcluded = createSelector(options.exclude ?? {});
  const { transform = (definition) => definition, visible } = options;
  return {
    prefix,
    takes: (name, tags) => isIncluded(name, tags) && !isExcluded(name, tags),
    transform,
    toPublicName: (name) => toPrefixedName(prefix, name),
    visibilityOf(feature) {
      const own = feature.visible;
      const rules: CallerRule[] = [];
      if (visible) rules.push(visible);
      if (own) rules.push(own);
      if (serverRule) rules.push((caller) => serverRule(feature, caller));
      return rules.length === 0 ? undefined : (caller) => rules.every((rule) => rule(caller));
    },
  };
}

function createSelector({
  names = [],
  tags = [],
}: FeatureSelection): (name: string, tags: readonly string[]) => boolean {
  const known = new Set(names);
  const knownTags = new Set(tags);
  return (name, own) => known.has(name) || own.some((tag) => knownTags.has(tag));
}
