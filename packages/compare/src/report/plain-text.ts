// Formats text from servers, and the arrows of a sequence, as single lines of plain text.
import type { Arrow } from "./sequence.ts";
import { toMs } from "./table.ts";

/**
 * Replaces line breaks and control characters with spaces, so that text from a server cannot move the cursor of a terminal
 * or reverse its writing direction.
 */
export function toOneLine(text: string): string {
  return text.replace(/\s*[\p{Cc}\p{Cf}\u2028\u2029]+\s*/gu, " ").trim();
}

export function toArrowText({ at, from, number, carrier, words }: Arrow): string {
  const time = toMs(at).padStart(9);
  const what = toOneLine([carrier, words].filter(Boolean).join("  "));
  return from === "client" ? `${time}  #${number} ──▶ ${what}` : `${time}       ◀── #${number} ${what}`;
}
