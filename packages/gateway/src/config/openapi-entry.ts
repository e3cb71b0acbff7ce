// Converts the entry of an HTTP API that an OpenAPI document describes.
import { resolve } from "node:path";
import type { OpenApiEntry } from "./schema/server.ts";
import type { OpenApiUpstream } from "./upstream-config.ts";

export interface OpenApiContext {
  readonly name: string;
  /** The folder of relative paths. */
  readonly folder: string;
}

export function toOpenApiUpstream(entry: OpenApiEntry, { name, folder }: OpenApiContext): OpenApiUpstream {
  const { openapi, timeoutMs, disabled: _, enabled: __, ...api } = entry;
  const document = /^https?:/i.test(openapi) ? openapi : resolve(folder, openapi);
  const fixed = { kind: "openapi", sharing: "shared", era: "modern" } as const;
  return { ...fixed, name, document, api, ...(timeoutMs !== undefined && { timeoutMs }) };
}
