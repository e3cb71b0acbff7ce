// List cursors (E-45): the name of the list and the position after which the next page begins. A cursor remains
// valid when features change, on any instance with the same definitions.
import { invalidParams } from "@lethe/protocol";

/** `ordinal` is the position of the last feature on the page. */
export function toCursor(list: string, ordinal: number): string {
  return btoa(`${list}:${ordinal}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws McpError -32602 unless `toCursor` made the cursor for this list with an ordinal below `end`. */
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
