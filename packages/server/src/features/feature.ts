// The options that tools, prompts, resources and templates share: name, list entry and access.
import type { Caller, ClientCapabilities, Icon, JsonObject, KnownOptions } from "@lethe/protocol";

export type FeatureKind = "tool" | "prompt" | "resource" | "resourceTemplate";

/** A feature as visibility rules see it. */
export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly name: string;
  readonly scopes: readonly string[] | undefined;
  readonly needs: ClientCapabilities | undefined;
  readonly _meta: JsonObject | undefined;
  /** Part of the handler's fingerprint, together with `version`. */
  readonly inputSchema: JsonObject | undefined;
  readonly version: string | undefined;
  readonly tags: readonly string[] | undefined;
  /** The feature's own rule. A list with such a feature is private. */
  readonly visible: CallerRule | undefined;
}

/** Decides by the caller alone; undefined without authentication. */
export type CallerRule = (caller: Caller | undefined) => boolean;

/** Decides whether a caller sees a feature. A hidden feature behaves as if it did not exist. */
export type Visibility = (feature: Feature, caller: Caller | undefined) => boolean;

/** Options of every feature. */
export interface FeatureOptions {
  /** The name that people see. Default: the name. */
  title?: string;
  /** Tells the model or a person what the feature is for. */
  description?: string;
  /** Icons that clients may show. */
  icons?: Icon[];
  /** Further metadata of the list entry. */
  _meta?: JsonObject;
  /** The scopes that the caller needs; all of them. Default: none. */
  scopes?: readonly string[];
  /** The client capabilities that a request must declare, such as `{ sampling: {} }`. Otherwise it fails with -32021. */
  needs?: ClientCapabilities;
  /** Change it when the handler requests input differently: pending calls of the old version are then rejected. */
  version?: string;
  /** Names groups of features, by which `mount` selects. Not sent to clients. Default: none. */
  tags?: readonly string[];
  /** Decides which caller sees the feature. Hidden, it behaves as if it did not exist. Default: every caller. */
  visible?: CallerRule;
}

export const knownFeatureOptions: KnownOptions<FeatureOptions> = {
  title: true,
  description: true,
  icons: true,
  _meta: true,
  scopes: true,
  needs: true,
  version: true,
  tags: true,
  visible: true,
};

export function createFeature(kind: FeatureKind, name: string, options: FeatureOptions, input?: JsonObject): Feature {
  const { needs, _meta, version, visible } = options;
  const scopes = options.scopes && Object.freeze([...options.scopes]);
  const tags = options.tags && Object.freeze([...options.tags]);
  return Object.freeze({ kind, name, scopes, needs, _meta, inputSchema: input, version, tags, visible });
}

/** The members that all features show in lists. */
export function toListed(options: FeatureOptions): Pick<FeatureOptions, "title" | "description" | "icons" | "_meta"> {
  const { title, description, icons, _meta } = options;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  };
}
