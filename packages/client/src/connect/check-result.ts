// Checks the main member of a result, so that a typed result is what its type says.
import { isJsonObject, nameOf, type Result } from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

/** The member that a result must contain, by method. */
export type ResultShape = { readonly member: string; readonly kind: "array" | "object" };

/** Throws TransportError "invalid". `what` names the request: "tools/list to http://127.0.0.1:3000/mcp". */
export function checkResult<R extends Result>(result: Result, { member, kind }: ResultShape, what: string): R {
  const value = result[member];
  if (kind === "array" ? Array.isArray(value) : isJsonObject(value)) return result as R;
  throw new TransportError("invalid", `${what}: expected "${member}" to be an ${kind}, got ${nameOf(value)}`);
}
