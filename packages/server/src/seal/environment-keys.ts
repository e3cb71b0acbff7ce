// Reads the keys of a deployment from the environment, on every platform that has one.

interface Environment {
  readonly process?: { readonly env?: { readonly [name: string]: string | undefined } };
}

/**
 * Returns `LETHE_KEYS`, in the form that `createKeyRing` takes. Undefined when it is empty, or when there is no environment.
 *
 * @example
 * import { createKeyRing, keysFromEnvironment } from "@lethe/server/stores";
 *
 * const ring = createKeyRing(keysFromEnvironment());
 * console.log(ring.isEphemeral); // true
 */
export function keysFromEnvironment(): string | undefined {
  try {
    return (globalThis as Environment).process?.env?.LETHE_KEYS || undefined;
  } catch {
    // Deno throws without permission.
    return undefined;
  }
}
