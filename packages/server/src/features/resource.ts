// Resource definitions (E-78), compiled once for all requests.
import {
  type Annotations,
  type CacheHints,
  checkOptions,
  type JsonObject,
  type KnownOptions,
  type ReadResourceResult,
  type Resource,
  type ResourceContents,
} from "@lethe/protocol";
import { requireCacheHints } from "./cache-hints.ts";
import type { Context } from "./context.ts";
import { defining, placeOf } from "./defining.ts";
import { createFeature, type Feature, type FeatureOptions, knownFeatureOptions, toListed } from "./feature.ts";
import type { Forward } from "./forward.ts";
import { InputRequired } from "./input-required.ts";
import { toReadResult } from "./resource-result.ts";

/** Text, bytes, or complete contents. `undefined` means that the resource does not exist. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | ResourceContents[]
  | { contents: ResourceContents[]; _meta?: JsonObject }
  | InputRequired
  | undefined;

export interface ResourceOptionsBase extends FeatureOptions {
  /** Default: the URI or the URI template. */
  name?: string;
  mimeType?: string;
  annotations?: Annotations;
  /** Cache hints of a result. Default: 0 ms and private. */
  cache?: CacheHints;
}

export const knownResourceOptionsBase: KnownOptions<ResourceOptionsBase> = {
  ...knownFeatureOptions,
  name: true,
  mimeType: true,
  annotations: true,
  cache: true,
};

/** Options of `server.resource`. */
export interface ResourceOptions extends ResourceOptionsBase {
  /** The size of the contents in bytes, if it is known. */
  size?: number;
  /** Returns the contents. An McpError that it throws is the answer; any other error answers -32603 without its text. */
  handler(uri: string, ctx: Context): ResourceReturn | Promise<ResourceReturn>;
}

const knownResourceOptions: KnownOptions<ResourceOptions> = {
  ...knownResourceOptionsBase,
  size: true,
  handler: "a function",
};

/** Built once per definition and shared by all requests. */
export interface ResourceDefinition {
  /** The entry in resources/list. */
  readonly resource: Resource;
  readonly feature: Feature;
  /** Set for a feature of another server, which answers instead. */
  readonly forward?: Forward | undefined;
  /** Runs the handler and converts its return value to a result. Throws the errors of the handler. */
  read(uri: string, ctx: Context): Promise<ReadResourceResult | InputRequired>;
}

/** By default an author's data must not be cached. */
export const defaultReadCache: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** Throws an Error that names the resource and the invalid field. */
export function createResource(uri: string, options: ResourceOptions): ResourceDefinition {
  const place = placeOf("resource", uri);
  checkOptions(place, options, knownResourceOptions);
  defining(`${place}: uri`, () => {
    if (!URL.canParse(uri)) throw new Error("an absolute URI expected");
  });
  const { mimeType, size } = options;
  const cache = defining(`${place}: cache`, () => requireCacheHints(options.cache ?? defaultReadCache));
  return {
    resource: { uri, ...toListedResource(uri, options), ...(size !== undefined && { size }) },
    feature: createFeature("resource", uri, options),
    async read(requestedUri, ctx) {
      const returned = await options.handler(requestedUri, ctx);
      return returned instanceof InputRequired
        ? returned
        : toReadResult(returned, { uri: requestedUri, mimeType, cache });
    },
  };
}

/** The members that resources and templates share in lists. */
export function toListedResource(uri: string, options: ResourceOptionsBase): Omit<Resource, "uri" | "size"> {
  const { name = uri, mimeType, annotations } = options;
  return {
    name,
    ...toListed(options),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations && { annotations }),
  };
}
