// Marks errors of the policy. A caller cannot tell them from errors for unknown names (J-45), but operators can.
import { isMcpError, type McpError } from "@lethe/protocol";

const denials = new WeakSet<McpError>();

/** Returns the error, marked. */
export function asPolicyDenial(error: McpError): McpError {
  denials.add(error);
  return error;
}

export function isPolicyDenial(error: unknown): boolean {
  return isMcpError(error) && denials.has(error);
}
