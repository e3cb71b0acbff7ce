// The entry point of @lethe/openapi/node: read a spec from a file.
export { readSpec } from "./read-spec.ts";
