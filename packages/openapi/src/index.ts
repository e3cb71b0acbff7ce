// The entry point of @lethe/openapi: serve an HTTP API as tools. The subpath /node reads specs from files.

export type { ApiCredential, CredentialRequest, CredentialSource } from "./auth/credentials.ts";
export { type OpenApiServer, openapi } from "./openapi.ts";
export type { OpenApiOptions } from "./openapi-options.ts";
export type { SkippedOperation } from "./operations/find-operations.ts";
export type { OperationSelection } from "./operations/selection.ts";
export { type FetchSpecOptions, fetchSpec } from "./spec/fetch-spec.ts";
export { parseSpec, type SpecLimits } from "./spec/parse-spec.ts";
