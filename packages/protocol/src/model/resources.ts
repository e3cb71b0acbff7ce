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

export interface Resource extends ResourceBase {
  uri: string;
  /** Bytes. */
  size?: number;
}

export interface ResourceTemplate extends ResourceBase {
  /** An RFC 6570 template. */
  uriTemplate: string;
}

export interface ListResourcesResult extends Result, CacheHints, Page {
  resources: Resource[];
}

export interface ListResourceTemplatesResult extends Result, CacheHints, Page {
  resourceTemplates: ResourceTemplate[];
}

export interface ReadResourceParams extends InputParams {
  uri: string;
}

export interface ReadResourceResult extends Result, CacheHints {
  contents: ResourceContents[];
}

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
