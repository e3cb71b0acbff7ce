// Resources (E.10): resources/list, resources/templates/list and resources/read.
import { invalidParams, type McpError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";
import type { Annotations, ResourceContents } from "./content.ts";
import { expectString } from "./expect.ts";
import { type InputParams, parseInputParams } from "./input-params.ts";
import type { Page } from "./pagination.ts";

interface ResourceBase {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

/** A resource as lists show it. */
export interface Resource extends ResourceBase {
  uri: string;
  /** Bytes. */
  size?: number;
}

/** A template for the URIs of resources. */
export interface ResourceTemplate extends ResourceBase {
  /** An RFC 6570 template. */
  uriTemplate: string;
}

/** The result of resources/list. */
export interface ListResourcesResult extends Result, CacheHints, Page {
  resources: Resource[];
}

/** The result of resources/templates/list. */
export interface ListResourceTemplatesResult extends Result, CacheHints, Page {
  resourceTemplates: ResourceTemplate[];
}

/** Params of resources/read. */
export interface ReadResourceParams extends InputParams {
  uri: string;
}

/** The result of resources/read. */
export interface ReadResourceResult extends Result, CacheHints {
  contents: ResourceContents[];
}

/** Throws McpError -32602 for malformed params. */
export function parseReadResourceParams(params: JsonObject): ReadResourceParams {
  const read = parseInputParams(params) as ReadResourceParams;
  read.uri = expectString(params, "uri");
  return read;
}

// E-79
/** McpError -32602 with the URI in `data`. */
export function resourceNotFound(uri: string): McpError {
  return invalidParams("resource not found", { uri });
}
