// What only one of the two eras of an upstream offers.

/** By the upstream's own names and URIs: what only one of the eras offers. */
export interface EraDifferences {
  readonly onlyModern: OfferedNames;
  readonly onlyLegacy: OfferedNames;
  /** The newer era does not declare it. */
  readonly onlyLegacyFeatures: { readonly completions: boolean; readonly subscribe: boolean };
}

export interface OfferedNames {
  readonly tools: ReadonlySet<string>;
  readonly prompts: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
}

const none: OfferedNames = { tools: new Set(), prompts: new Set(), resources: new Set() };

export const noDifferences: EraDifferences = {
  onlyModern: none,
  onlyLegacy: none,
  onlyLegacyFeatures: { completions: false, subscribe: false },
};
