// Describes an operation as a tool.
import type { JsonObject, StandardSchema, ToolAnnotations } from "@lethe/protocol";
import type { Context, FullToolResult, ToolOptions } from "@lethe/server";
import { type CompiledSchema, compileSchema } from "@lethe/server/edge";
import { SpecProblem } from "../spec/spec-problem.ts";
import type { FoundOperation, Method, Operation } from "./operation.ts";

/** Sends the request of a call and returns its result. */
export type Call = (
  operation: Operation,
  args: JsonObject,
  ctx: Context,
  check: CompiledSchema["check"] | undefined,
) => Promise<FullToolResult>;

/** Characters of a description. */
const maxDescriptionLength = 4_096;

/** Throws SpecProblem for a schema that the server does not accept. */
export function toToolOptions(
  found: FoundOperation,
  operation: Operation,
  call: Call,
): ToolOptions<JsonObject, StandardSchema | undefined> {
  const { summary, description } = found.operation;
  const title = typeof summary === "string" && summary !== "" ? summary.slice(0, 200) : undefined;
  const text = [description, summary].find((value) => typeof value === "string" && value !== "") as string | undefined;
  const annotations = annotationsOf(found.method);
  const { inputSchema, outputSchema } = operation;
  requireAccepted(inputSchema);
  const output = outputSchema && requireAccepted(outputSchema);
  return {
    ...(title !== undefined && { title }),
    description: (text ?? `${found.method.toUpperCase()} ${found.path}`).slice(0, maxDescriptionLength),
    inputSchema,
    ...(output && { outputSchema: alreadyChecked(output.jsonSchema) }),
    ...(annotations && { annotations }),
    tags: found.tags,
    handler: (args, ctx) => call(operation, args as JsonObject, ctx, output?.check),
  } as ToolOptions<JsonObject, StandardSchema | undefined>;
}

function requireAccepted(schema: JsonObject): CompiledSchema {
  try {
    return compileSchema(schema, { direction: "output" });
  } catch (error) {
    throw new SpecProblem(error instanceof Error ? error.message : String(error));
  }
}

/** The call checks the response itself, because a mismatch is a result for the caller and no fault of this server. */
function alreadyChecked(schema: JsonObject): StandardSchema {
  const jsonSchema = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "openapi", validate: (value) => ({ value }), jsonSchema } };
}

/** By the meaning of the methods in HTTP. */
function annotationsOf(method: Method): ToolAnnotations | undefined {
  if (method === "get" || method === "head" || method === "options") return { readOnlyHint: true };
  if (method === "put") return { idempotentHint: true };
  return method === "delete" ? { idempotentHint: true, destructiveHint: true } : undefined;
}
