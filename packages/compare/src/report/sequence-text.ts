// An arrow between client and server as a line of text.
import { toOneLine } from "./one-line.ts";
import type { Arrow } from "./sequence.ts";
import { toMs } from "./table.ts";

export function toArrowText({ at, from, number, carrier, words }: Arrow): string {
  const time = toMs(at).padStart(9);
  const what = toOneLine([carrier, words].filter(Boolean).join("  "));
  return from === "client" ? `${time}  #${number} ──▶ ${what}` : `${time}       ◀── #${number} ${what}`;
}
