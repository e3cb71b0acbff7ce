// Cursors of the lists (E-45): the list's name and the place after which the next page begins, so that a cursor stays
// good when features come and go, on any instance with the same definitions.
import { invalidParams } from "@lethe/protocol";

/** `ordinal` is that of the last feature on the page. */
export function toCursor(list: string, ordinal: number): string {
  return btoa(`${list}:${ordinal}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws McpError -32602 for anything that `toCursor` did not make for this list with an ordinal below `end`. */
export function parseCursor(list: string, cursor: string, end: number): number {
  const prefix = `${list}:`;
  const decoded = decode(cursor);
  const ordinal = decoded.startsWith(prefix) ? Number(decoded.slice(prefix.length)) : Number.NaN;
  if (!Number.isSafeInteger(ordinal) || ordinal < 0 || ordinal >= end || toCursor(list, ordinal) !== cursor) {
    throw invalidParams("invalid cursor");
  }
  return ordinal;
}

function decode(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
