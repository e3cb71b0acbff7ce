// The room of a replica for new sessions, as replicas tell it to each other in short notes.
import { createHash } from "node:crypto";
import { isJsonObject } from "@lethe/protocol";

/** The sessions of one upstream at one replica, and how many there may be. */
export interface UpstreamRoom {
  readonly used: number;
  readonly max: number;
}

export interface ReplicaRoom {
  /** It is stopping, and opens no sessions. */
  readonly isDraining: boolean;
  /** By the digests of their names. An upstream that is absent takes no sessions there. */
  readonly upstreams: ReadonlyMap<string, UpstreamRoom>;
}

/** Upstreams in a note, in the order of the configuration. Sessions of the others open where their first request arrives. */
const maxUpstreams = 64;
const maxNoteChars = 4_096;
const digestChars = 8;

/** Notes are readable in Redis, and names of upstreams may say too much there. */
export function digestOf(upstream: string): string {
  return createHash("sha256").update(upstream).digest("base64url").slice(0, digestChars);
}

export function formatRoom({ isDraining, upstreams }: ReplicaRoom): string {
  const room = [...upstreams].slice(0, maxUpstreams).map(([digest, { used, max }]) => [digest, [used, max]]);
  return JSON.stringify({ ...(isDraining && { draining: true }), room: Object.fromEntries(room) });
}

/** Returns undefined for a note of another version. */
export function parseRoom(note: string): ReplicaRoom | undefined {
  const parsed = note.length <= maxNoteChars ? parse(note) : undefined;
  if (!isJsonObject(parsed) || !isJsonObject(parsed.room)) return undefined;
  const upstreams = new Map<string, UpstreamRoom>();
  for (const [digest, counts] of Object.entries(parsed.room)) {
    if (!Array.isArray(counts)) return undefined;
    const [used, max] = counts;
    if (!isCount(used) || !isCount(max)) return undefined;
    upstreams.set(digest, { used, max });
  }
  return { isDraining: parsed.draining === true, upstreams };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
