// The keys with which processes encrypt shared state.
import type { KnownOptions } from "@lethe/protocol";
import { createKeyRing, type KeyRing, keysFromEnvironment, type SealKey } from "@lethe/server/stores";

/** The keys with which processes read what other processes store. */
export interface SharedKeys {
  /** The keys of the deployment, the same in all processes. Default: the environment variable LETHE_KEYS. */
  keys?: string | readonly SealKey[] | KeyRing | undefined;
}

export const knownSharedKeys: KnownOptions<SharedKeys> = { keys: true };

/** Throws an Error without configured keys: the ephemeral key of one process opens nothing in another. */
export function ringOf({ keys = keysFromEnvironment() }: SharedKeys, purpose: string): KeyRing {
  const ring = typeof keys === "object" && "first" in keys ? keys : createKeyRing(keys);
  if (ring.isEphemeral) throw new Error(`${purpose} in Redis: LETHE_KEYS or the option keys expected, got neither`);
  return ring;
}
