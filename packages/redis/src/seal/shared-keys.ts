// The keys with which processes seal what they share.
import { createKeyRing, type KeyRing, keysFromEnvironment, type SealKey } from "@lethe/server/stores";

export interface SharedKeys {
  /** Those of the servers that share. Default: the environment variable LETHE_KEYS. */
  keys?: string | readonly SealKey[] | KeyRing | undefined;
}

/** Throws an Error when there are none: those of one process open nothing in another. */
export function ringOf({ keys = keysFromEnvironment() }: SharedKeys, purpose: string): KeyRing {
  const ring = typeof keys === "object" && "first" in keys ? keys : createKeyRing(keys);
  if (ring.isEphemeral) throw new Error(`${purpose} in Redis: LETHE_KEYS or the option keys expected, got neither`);
  return ring;
}
