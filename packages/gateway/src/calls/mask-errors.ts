// Error text of an upstream on its way to a caller, without the secrets of the gateway's configuration. Ordinary results pass
// unchanged: a tool may have a reason to return what it was configured with.
import { isMcpError, McpError } from "@lethe/protocol";
import type { SecretMask } from "../upstreams/connection/secret-mask.ts";

/** The message and data of a JSON-RPC error. */
export function maskError(error: unknown, mask: SecretMask): unknown {
  if (!isMcpError(error)) return error;
  const message = mask.text(error.message);
  const data = mask.value(error.data);
  if (message === error.message && data === error.data) return error;
  return new McpError(error.code, message, { data, cause: error.cause });
}

interface Answer {
  isError?: unknown;
  error?: unknown;
  result?: unknown;
  statusMessage?: unknown;
}

/** A tool's own error, and what a task says of its failure. */
export function maskErrors<T extends object>(answer: T, mask: SecretMask): T {
  const { isError, error, result, statusMessage }: Answer = answer;
  if (isError === true) return mask.value(answer);
  if (error === undefined && result === undefined && statusMessage === undefined) return answer;
  const isFailure = typeof result === "object" && result !== null && (result as Answer).isError === true;
  return {
    ...answer,
    ...(error !== undefined && { error: mask.value(error) }),
    ...(statusMessage !== undefined && { statusMessage: mask.value(statusMessage) }),
    ...(isFailure && { result: mask.value(result) }),
  };
}
