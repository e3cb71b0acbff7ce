// Options of `openapi`.
import type { KnownOptions } from "@lethe/protocol";

import type { CredentialSource } from "./auth/credentials.ts";
import { knownOperationSelection, type OperationSelection } from "./operations/selection.ts";

/** Options of `openapi`. */
export interface OpenApiOptions {
  /**
   * The URL before the paths of the spec. Requests go to its origin only. Required with `auth`, and if the first server of the spec is not an
   * absolute URL. Default: the first server of the spec.
   */
  baseUrl?: string | URL;
  /** Credentials by the name of their security scheme in the spec. The token of an MCP caller is never sent. Default: none. */
  auth?: Readonly<Record<string, CredentialSource>>;
  /** The operations to serve, or "all". Default: all GET and HEAD operations. */
  include?: "all" | OperationSelection;
  /** Operations to leave out, even if `include` selects them. Default: none. */
  exclude?: OperationSelection;
  /** Whether deprecated operations are served. Default false. */
  deprecated?: boolean;
  /** Whether tools have output schemas. A response that does not match one is an error result. Default true. */
  outputSchemas?: boolean;
  /** Limit of served operations. More are an error. Default 500. */
  maxOperations?: number;
  /** Limit of a response body, in bytes. Default 1 MiB. */
  maxResponseBytes?: number;
  /** Time limit of a call, in ms. Default 30,000. */
  timeoutMs?: number;
  /** Limit of concurrent requests to the API. Further calls fail at once. Default 64. */
  maxConcurrent?: number;
  /** Sends requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export const knownOpenApiOptions: KnownOptions<OpenApiOptions> = {
  ...{ baseUrl: true, auth: true, deprecated: true, outputSchemas: true, fetch: true },
  ...{ include: knownOperationSelection, exclude: knownOperationSelection },
  ...{ maxOperations: true, maxResponseBytes: true, timeoutMs: true, maxConcurrent: true },
};
