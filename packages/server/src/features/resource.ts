// Resources as an author defines them (E-78), and the one form in which they answer requests.
import type {
  Annotations,
  CacheHints,
  JsonObject,
  ReadResourceResult,
  Resource,
  ResourceContents,
} from "@lethe/protocol";
import { requireCacheHints } from "./cache-hints.ts";
import type { Context } from "./context.ts";
import { defining } from "./defining.ts";
import { createFeature, type Feature, type FeatureOptions, toListed } from "./feature.ts";
import { InputRequired } from "./input-required.ts";
import { toReadResult } from "./resource-result.ts";

/** Text, bytes, or contents in full. `undefined` says that there is no such resource (E-79). */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | ResourceContents[]
  | { contents: ResourceContents[]; _meta?: JsonObject }
  | InputRequired
  | undefined;

export interface ResourceOptionsBase extends FeatureOptions {
  /** The URI, or URI template, when absent. */
  name?: string;
  mimeType?: string;
  annotations?: Annotations;
  /** How long and by whom an answer may be kept (E-50). Default: not at all, and private. */
  cache?: CacheHints;
}

export interface ResourceOptions extends ResourceOptionsBase {
  /** bytes */
  size?: number;
  handler(uri: string, ctx: Context): ResourceReturn | Promise<ResourceReturn>;
}

/** Built once, at definition; shared by all requests. */
export interface ResourceDefinition {
  /** As resources/list shows it. */
  readonly resource: Resource;
  readonly feature: Feature;
  /** Runs the handler and turns whatever it returned into a result. Throws what the handler throws. */
  read(uri: string, ctx: Context): Promise<ReadResourceResult | InputRequired>;
}

/** E-56: nothing is known about how long an author's data stays true, or for whom. */
export const defaultReadCache: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** Throws an Error that names the resource and the field that is wrong. */
export function createResource(uri: string, options: ResourceOptions): ResourceDefinition {
  const place = `resource ${JSON.stringify(uri)}`;
  defining(`${place}: uri`, () => {
    if (!URL.canParse(uri)) throw new Error("an absolute URI expected");
  });
  const { mimeType, size } = options;
  const cache = defining(`${place}: cache`, () => requireCacheHints(options.cache ?? defaultReadCache));
  return {
    resource: { uri, ...toListedResource(uri, options), ...(size !== undefined && { size }) },
    feature: createFeature("resource", uri, options),
    async read(asked, ctx) {
      const returned = await options.handler(asked, ctx);
      return returned instanceof InputRequired ? returned : toReadResult(returned, { uri: asked, mimeType, cache });
    },
  };
}

/** What resources and templates show in their lists alike. */
export function toListedResource(uri: string, options: ResourceOptionsBase): Omit<Resource, "uri" | "size"> {
  const { name = uri, mimeType, annotations } = options;
  return {
    name,
    ...toListed(options),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations && { annotations }),
  };
}
