// Reads the headers of a server: registers their values as secrets, and separates those that the protocol sets.
import { isProtocolHeader } from "@lethe/client/edge";
import type { Section } from "./section.ts";

export interface ReadHeaders {
  /** Without the reserved ones. Undefined if the section has no valid `headers`. */
  readonly headers: Record<string, string> | undefined;
  /** Names that a connection would reject, because the protocol sets these headers. */
  readonly reserved: readonly string[];
}

export function readHeaders(section: Section, onSecret: (value: string) => void): ReadHeaders {
  const given = section.textMap("headers");
  if (!given) return { headers: undefined, reserved: [] };
  const kept = Object.entries(given).filter(([name]) => !isProtocolHeader(name));
  for (const [, value] of kept) onSecret(value.replace(/^(?:Bearer|Basic|Token) +/i, ""));
  return { headers: Object.fromEntries(kept), reserved: Object.keys(given).filter(isProtocolHeader) };
}
