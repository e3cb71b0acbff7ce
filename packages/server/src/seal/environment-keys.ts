// Where the keys of a deployment come from when nobody passes any: the environment, on every platform that has one.

interface Environment {
  readonly process?: { readonly env?: { readonly [name: string]: string | undefined } };
}

/** `LETHE_KEYS`, in the form that `createKeyRing` takes. Undefined when it is empty, or when there is no environment. */
export function keysFromEnvironment(): string | undefined {
  try {
    return (globalThis as Environment).process?.env?.LETHE_KEYS || undefined;
  } catch {
    // Deno throws where the program may not look.
    return undefined;
  }
}
