// What stands in Redis is sealed with the keys of the deployment: who reads there learns nothing of callers, and who writes
// there can neither answer for a client nor change what came of a task.
import type { JsonObject } from "@lethe/protocol";
import { createKeyRing, createSeal, type KeyRing, keysFromEnvironment, type SealKey } from "@lethe/server";

export interface SharedKeys {
  /** Those of the servers that share. Default: the environment variable LETHE_KEYS. */
  keys?: string | readonly SealKey[] | KeyRing | undefined;
}

export interface SealedJsonOptions extends SharedKeys {
  /** What is sealed for one purpose opens for no other. */
  purpose: string;
  ttlMs: number;
  /** As JSON. */
  maxBytes: number;
}

export interface SealedJson {
  /** Rejects with RangeError when the value is too large. */
  seal(value: JsonObject, place: string): Promise<string>;
  /** Undefined for what was not sealed with these keys for this place, or too long ago. */
  open(text: string, place: string): Promise<JsonObject | undefined>;
}

/** Throws an Error when there are no keys: those of one process open nothing in another. */
export function createSealedJson({ keys, purpose, ttlMs, maxBytes }: SealedJsonOptions): SealedJson {
  const given = keys ?? keysFromEnvironment();
  const ring = typeof given === "object" && "first" in given ? given : createKeyRing(given);
  if (ring.isEphemeral) throw new Error(`${purpose} in Redis: LETHE_KEYS or the option keys expected, got neither`);
  const seal = createSeal(ring, { server: "redis", ttlMs, maxBytes });
  const toBinding = (place: string) => ({ callerId: undefined, method: purpose, target: place, arguments: "" });
  return {
    seal: (value, place) => seal.seal(value, toBinding(place)),
    open: (text, place) => seal.open(text, toBinding(place)).catch(() => undefined),
  };
}
