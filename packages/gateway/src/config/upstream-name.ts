// The name of an upstream: a step of a URL path and the prefix of tool names. Files name servers more freely than that.
import { createHash } from "node:crypto";

const maxLength = 32;
/** Means something else below the merged endpoint. */
const taken = "server-card";

/** A name that is legal already stays as it is. */
export function toUpstreamName(key: string): string {
  const legal = key.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "");
  if (legal === "") return `server-${hashOf(key)}`;
  return legal.length <= maxLength ? legal : `${legal.slice(0, maxLength - 7)}-${hashOf(key)}`;
}

/** Whether an upstream can have it. */
export function isUpstreamName(name: string): boolean {
  return name !== taken && toUpstreamName(name) === name;
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 6);
}
