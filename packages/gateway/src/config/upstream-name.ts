// Derives the name of an upstream, a URL path segment and tool name prefix, from the less restricted names in files.
import { createHash } from "node:crypto";

const maxLength = 32;
/** Reserved paths below the merged endpoint. */
const taken = "server-card";

/** Returns a valid name unchanged. */
export function toUpstreamName(key: string): string {
  const legal = key.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "");
  if (legal === "") return `server-${hashOf(key)}`;
  return legal.length <= maxLength ? legal : `${legal.slice(0, maxLength - 7)}-${hashOf(key)}`;
}

/** Whether an upstream can have this name. */
export function isUpstreamName(name: string): boolean {
  return name !== taken && toUpstreamName(name) === name;
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 6);
}
