// The options that tools, prompts, resources and templates share: name, list entry and access.
import {
  type Caller,
  type ClientCapabilities,
  type Icon,
  type JsonObject,
  type KnownOptions,
  nameOf,
} from "@lethe/protocol";
import { defining, placeOf } from "./defining.ts";

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
  /** Earlier versions whose pending calls the handler continues. */
  readonly compatibleVersions: readonly string[] | undefined;
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
  /**
   * Change it when the handler requests input differently: pending calls of other versions are then rejected, with an error for which
   * `incompatibleVersionOf` returns both versions.
   */
  version?: string;
  /**
   * Earlier versions whose pending calls this handler continues: it makes the same input requests and steps in the same order, at least up
   * to the point that a pending call can have reached. Needs `version`. Default: none.
   */
  compatibleVersions?: readonly string[];
  /** Names groups of features, by which `mount` selects. Not sent to clients. Default: none. */
  tags?: readonly string[];
  /** Decides which caller sees the feature. Hidden, it behaves as if it did not exist. Default: every caller. */
  visible?: CallerRule;
}

export const knownFeatureOptions: KnownOptions<FeatureOptions> = {
  title: "a string?",
  description: "a string?",
  icons: "an array?",
  _meta: true,
  scopes: "an array?",
  needs: true,
  version: "a string?",
  compatibleVersions: true,
  tags: "an array?",
  visible: "a function?",
};

export function createFeature(kind: FeatureKind, name: string, options: FeatureOptions, input?: JsonObject): Feature {
  const { needs, _meta, version, visible } = options;
  const compatibleVersions = defining(`${placeOf(kind, name)}: compatibleVersions`, () => toCompatible(options));
  const scopes = options.scopes && Object.freeze([...options.scopes]);
  const tags = options.tags && Object.freeze([...options.tags]);
  const handler = { inputSchema: input, version, compatibleVersions };
  return Object.freeze({ kind, name, scopes, needs, _meta, ...handler, tags, visible });
}

function toCompatible({ version, compatibleVersions }: FeatureOptions): readonly string[] | undefined {
  if (compatibleVersions === undefined) return undefined;
  if (!Array.isArray(compatibleVersions) || compatibleVersions.some((one) => typeof one !== "string")) {
    throw new Error(`a list of versions expected, got ${nameOf(compatibleVersions)}`);
  }
  if (version === undefined) throw new Error('this handler needs a "version" of its own');
  return Object.freeze([...compatibleVersions]);
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
