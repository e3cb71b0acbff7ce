// Parses the structured content of a tool result with a schema of the caller (E-69).
import type { CallToolResult, InferOutput, StandardIssue, StandardSchema } from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

/** Check `isError` first: a failed tool need not return structured content. */
export type ParsedToolResult<T> =
  | (CallToolResult & { isError: true })
  | (CallToolResult & { isError?: false; structuredContent: T });

/** Throws TransportError "invalid" for content that violates the schema. `what` names the call. */
export async function parseOutput<S extends StandardSchema>(
  result: CallToolResult,
  schema: S,
  what: string,
): Promise<ParsedToolResult<InferOutput<S>>> {
  type Parsed = ParsedToolResult<InferOutput<S>>;
  if (result.isError) return result as Parsed;
  const parsed = await schema["~standard"].validate(result.structuredContent);
  if (!parsed.issues) return { ...result, structuredContent: parsed.value } as Parsed;
  const [issue] = parsed.issues;
  throw new TransportError(
    "invalid",
    `${what}: structuredContent${issue ? toWords(issue) : " is not what was expected"}`,
  );
}

function toWords({ path = [], message }: StandardIssue): string {
  const steps = path.map((step) => `/${String(typeof step === "object" ? step.key : step)}`);
  return `${steps.join("")}: ${message}`;
}
