// What tools, prompts, resources and templates have in common: a name, a place in a list, and who may use them.
import type { Caller, ClientCapabilities, Icon, JsonObject } from "@lethe/protocol";

export type FeatureKind = "tool" | "prompt" | "resource" | "resourceTemplate";

/** A feature as visibility rules see it. */
export interface Feature {
  readonly kind: FeatureKind;
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly name: string;
  readonly scopes: readonly string[] | undefined;
  readonly needs: ClientCapabilities | undefined;
  readonly _meta: JsonObject | undefined;
  /** What else tells one version of its handler from another, beside `version`. */
  readonly inputSchema: JsonObject | undefined;
  readonly version: string | undefined;
}

/** Decides who sees a feature. A hidden feature answers exactly like one that does not exist. */
export type Visibility = (feature: Feature, caller: Caller | undefined) => boolean;

/** Options that every feature has. */
export interface FeatureOptions {
  title?: string;
  description?: string;
  icons?: Icon[];
  _meta?: JsonObject;
  /** The caller needs all of them (G-4). */
  scopes?: readonly string[];
  /** What the client must have declared with this request, for example `{ sampling: {} }`; else -32021. */
  needs?: ClientCapabilities;
  /** Change it when the handler asks its questions differently: calls under way with the old one are then refused. */
  version?: string;
}

export function createFeature(kind: FeatureKind, name: string, options: FeatureOptions, input?: JsonObject): Feature {
  const { needs, _meta, version } = options;
  const scopes = options.scopes && Object.freeze([...options.scopes]);
  return Object.freeze({ kind, name, scopes, needs, _meta, inputSchema: input, version });
}

/** What all features show in their lists alike. */
export function toListed(options: FeatureOptions): Pick<FeatureOptions, "title" | "description" | "icons" | "_meta"> {
  const { title, description, icons, _meta } = options;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  };
}
