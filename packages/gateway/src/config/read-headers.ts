// Reads the headers of a server's entry: registers their values as secrets, and separates those that the protocol sets.
import { isProtocolHeader } from "@lethe/client/edge";
import { secretOfHeader } from "./schema/values.ts";

export interface ReadHeaders {
  /** Without the reserved ones. */
  readonly headers: Record<string, string>;
  /** Names that a connection would reject, because the protocol sets these headers. */
  readonly reserved: readonly string[];
}

export function readHeaders(given: Readonly<Record<string, string>>, onSecret: (value: string) => void): ReadHeaders {
  const kept = Object.entries(given).filter(([name]) => !isProtocolHeader(name));
  for (const [, value] of kept) onSecret(secretOfHeader(value));
  return { headers: Object.fromEntries(kept), reserved: Object.keys(given).filter(isProtocolHeader) };
}
