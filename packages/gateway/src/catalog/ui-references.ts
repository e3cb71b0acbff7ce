// References to user interface resources in `_meta`: those of MCP Apps, in both spellings, and of the Apps SDK.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

const flatKeys = ["ui/resourceUri", "openai/outputTemplate"] as const;

/** Returns the user interface resource that a tool, result or request names. */
export function uiReferenceOf(meta: unknown): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  if (isJsonObject(meta.ui) && typeof meta.ui.resourceUri === "string") return meta.ui.resourceUri;
  for (const key of flatKeys) {
    const uri = meta[key];
    if (typeof uri === "string") return uri;
  }
  return undefined;
}

/** Returns the same object if nothing changes. */
export function withPublicReferences<M extends JsonObject | undefined>(meta: M, toPublic: (uri: string) => string): M {
  if (!isJsonObject(meta)) return meta;
  const { ui } = meta;
  let changed: JsonObject | undefined;
  if (isJsonObject(ui) && typeof ui.resourceUri === "string") {
    const resourceUri = toPublic(ui.resourceUri);
    if (resourceUri !== ui.resourceUri) changed = { ...meta, ui: { ...ui, resourceUri } };
  }
  for (const key of flatKeys) {
    const uri = meta[key];
    if (typeof uri !== "string") continue;
    const publicUri = toPublic(uri);
    if (publicUri === uri) continue;
    changed ??= { ...meta };
    changed[key] = publicUri;
  }
  return (changed ?? meta) as M;
}
