// Cursors of skills/list: the URI after which the next page begins. A cursor stays valid when skills change, in any process.
import { invalidParams } from "@lethe/protocol";

const prefix = "skills:";

/** URIs of skills are ASCII, because each segment is percent-encoded. */
export function toSkillCursor(uri: string): string {
  return btoa(prefix + uri)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Throws McpError -32602 unless `toSkillCursor` made the cursor. */
export function parseSkillCursor(cursor: string): string {
  let text = "";
  try {
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    // Not base64: the error below.
  }
  const uri = text.slice(prefix.length);
  if (!text.startsWith(prefix) || toSkillCursor(uri) !== cursor) throw invalidParams("invalid cursor");
  return uri;
}
