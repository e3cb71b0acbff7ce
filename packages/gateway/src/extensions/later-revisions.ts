// Which revisions later than ours pass between callers and one upstream, by what the upstream offers and the operator's settings.
import { isLaterRevision } from "@lethe/protocol/revisions";
import type { UpstreamPolicy } from "../config/schema/settings.ts";

/** The maximum number of later revisions of one upstream that are relayed: the newest ones. */
export const maxLaterRevisions = 16;

/**
 * Whether the gateway may relay messages that it does not understand. An upstream whose tools, prompts, resources or extensions are
 * restricted needs each message checked, and one with session handles needs them changed.
 */
export function relaysLaterRevisions(policy: UpstreamPolicy): boolean {
  const { laterRevisions, affinity, tools, prompts, resources, extensions } = policy;
  if (laterRevisions === "reject" || affinity === "handle") return false;
  return !tools && !prompts && !resources && !extensions;
}

/** Returns the later revisions among those that an upstream supports, newest first. */
export function laterRevisionsOf(supported: readonly unknown[]): readonly string[] {
  const later = supported.filter((name) => typeof name === "string" && isLaterRevision(name)) as string[];
  return [...new Set(later)].sort().reverse().slice(0, maxLaterRevisions);
}
