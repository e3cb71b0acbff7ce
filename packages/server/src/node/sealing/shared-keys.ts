// The keys with which processes encrypt shared state.
import type { KnownOptions } from "@lethe/protocol";
import { keysFromEnvironment } from "../../seal/environment-keys.ts";
import { createKeyRing, type KeyRing, type SealKey } from "../../seal/key-ring.ts";

/** The keys with which processes read what other processes store. */
export interface SharedKeys {
  /** The keys of the deployment, the same in all processes. Default: the environment variable LETHE_KEYS. */
  keys?: string | readonly SealKey[] | KeyRing | undefined;
}

/** For `checkOptions`: the names of the options in SharedKeys. */
export const knownSharedKeys: KnownOptions<SharedKeys> = { keys: true };

/**
 * Returns the keys of the deployment. Throws an Error without configured keys: the ephemeral key of one process opens nothing in another.
 * `purpose` names in that error what needs them.
 *
 * @example
 * import { ringOf } from "@lethe/server/sealing";
 *
 * console.log(ringOf({ keys: `k1:${"A".repeat(43)}` }, "notes").first.id); // k1
 */
export function ringOf({ keys = keysFromEnvironment() }: SharedKeys, purpose: string): KeyRing {
  const ring = typeof keys === "object" && "first" in keys ? keys : createKeyRing(keys);
  if (ring.isEphemeral)
    throw new Error(`${purpose} in a shared store: LETHE_KEYS or the option keys expected, got neither`);
  return ring;
}
