// The differences between the two eras of an upstream: what only one of them offers.

/** Items that only one of the eras offers, by the upstream's own names and URIs. */
export interface EraDifferences {
  readonly onlyModern: OfferedNames;
  readonly onlyLegacy: OfferedNames;
  /** Features that the newer era does not declare. */
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
