// Serves an HTTP API that a spec describes as tools.
import { checkOptions, type Dispatch, type JsonObject } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { Credentials } from "./auth/credentials.ts";
import { createCall } from "./create-call.ts";
import { knownOpenApiOptions, type OpenApiOptions } from "./openapi-options.ts";
import { createBaseUrls } from "./operations/base-url.ts";
import type { SkippedOperation } from "./operations/find-operations.ts";
import { findOperations } from "./operations/find-operations.ts";
import type { FoundOperation, Operation } from "./operations/operation.ts";
import { readOperation } from "./operations/read-operation.ts";
import { createSelection } from "./operations/selection.ts";
import { toToolOptions } from "./operations/tool-options.ts";
import { SchemaBundler } from "./schema/schema-bundler.ts";
import { type Spec, toSpec } from "./spec/spec.ts";
import { SpecProblem } from "./spec/spec-problem.ts";

/** An HTTP API as a server to mount. */
export interface OpenApiServer {
  readonly dispatch: Dispatch;
  /** The names of the tools, without the prefix of a mount. */
  readonly tools: readonly string[];
  /** The operations that are not served although nothing excludes them. */
  readonly skipped: readonly SkippedOperation[];
}

/**
 * Serves the operations of an OpenAPI 3.0 or 3.1 document as tools. Mount the result on a server. `spec` is the parsed document: `parseSpec`,
 * `fetchSpec` and `readSpec` (of `@lethe/openapi/node`) read JSON and YAML. Throws an Error for invalid options, for a document that is not
 * OpenAPI 3.0 or 3.1, and if no operation can be served; single operations that cannot be served are in `skipped`.
 *
 * @example
 * import { openapi } from "@lethe/openapi";
 * import { createServer } from "@lethe/server";
 *
 * const spec = {
 *   openapi: "3.1.0",
 *   info: { title: "Pets", version: "1" },
 *   paths: { "/pets": { get: { operationId: "listPets", summary: "Lists pets" } } },
 * };
 * const pets = openapi(spec, { baseUrl: "https://pets.example/v1" });
 * console.log(pets.tools); // [ 'listPets' ]
 * const server = createServer({ name: "shop", version: "1.0.0" }).mount("pets", pets);
 * await server.close();
 */
export function openapi(spec: JsonObject, options: OpenApiOptions = {}): OpenApiServer {
  checkOptions("openapi", options, knownOpenApiOptions);
  const checked = toSpec(spec);
  const { auth = {}, baseUrl } = options;
  if (baseUrl === undefined && Object.keys(auth).length > 0) {
    throw new Error("baseUrl is required with auth, so that the spec does not decide where credentials are sent");
  }
  const skipped: SkippedOperation[] = [];
  const found = findOperations(checked, (problem) => skipped.push(problem));
  const operations = selected(found, options, skipped);
  const context = {
    spec: checked,
    input: new SchemaBundler(checked, "input"),
    output: new SchemaBundler(checked, "output"),
    credentials: new Credentials(checked, auth),
    hasOutputSchemas: options.outputSchemas ?? true,
    baseUrlOf: createBaseUrls(checked, baseUrl),
  };
  const server = createServer(infoOf(checked));
  const call = createCall(context.credentials, options);
  const tools = operations.flatMap((operation) => {
    const problem = attempt(() => {
      const read: Operation = readOperation(operation, context);
      server.tool(read.name, toToolOptions(operation, read, call));
    });
    if (problem === undefined) return [operation.name];
    skipped.push({ operation: labelOf(operation), reason: problem });
    return [];
  });
  if (tools.length === 0) throw new Error(`no operation of the spec can be served${reasonsOf(skipped)}`);
  return { dispatch: server.dispatch, tools, skipped };
}

/** Operations that a default leaves out are reported, those that the options leave out are not. */
function selected(
  found: readonly FoundOperation[],
  { include, exclude, deprecated, maxOperations = 500 }: OpenApiOptions,
  skipped: SkippedOperation[],
): FoundOperation[] {
  const isIncluded = include && include !== "all" ? createSelection("include", include, found) : () => true;
  const isExcluded = exclude ? createSelection("exclude", exclude, found) : () => false;
  const operations = found.filter((operation) => {
    if (!isIncluded(operation) || isExcluded(operation)) return false;
    const reason = defaultReason(operation, include !== undefined, deprecated === true);
    if (reason !== undefined) skipped.push({ operation: labelOf(operation), reason });
    return reason === undefined;
  });
  if (operations.length <= maxOperations) return operations;
  throw new Error(
    `${operations.length} operations are selected, ${maxOperations} are allowed (maxOperations): select fewer`,
  );
}

function defaultReason(
  operation: FoundOperation,
  isSelected: boolean,
  isDeprecatedServed: boolean,
): string | undefined {
  if (operation.isDeprecated && !isDeprecatedServed) return "it is deprecated (deprecated: true serves it)";
  const isReading = operation.method === "get" || operation.method === "head";
  return isReading || isSelected ? undefined : `${operation.method.toUpperCase()} may change data (include selects it)`;
}

/** Returns why the operation cannot be served. */
function attempt(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SpecProblem) return error.message;
    throw error;
  }
}

function labelOf({ operationId, method, path }: FoundOperation): string {
  return operationId ?? `${method.toUpperCase()} ${path}`;
}

function reasonsOf(skipped: readonly SkippedOperation[]): string {
  const shown = skipped.slice(0, 5).map(({ operation, reason }) => `\n- ${operation}: ${reason}`);
  return shown.length === 0 ? "" : `:${shown.join("")}`;
}

function infoOf({ root }: Spec): { name: string; version: string } {
  const { title, version } = (root.info ?? {}) as JsonObject;
  return {
    name: typeof title === "string" && title ? title : "api",
    version: typeof version === "string" ? version : "0",
  };
}
