// Where the keys of a deployment come from when nobody passes any: the environment, on every platform that has one.

/** `LETHE_KEYS`, in the form that `createKeyRing` takes. Undefined when it is empty, or when there is no environment. */
export function keysFromEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };
  return process?.env?.LETHE_KEYS || undefined;
}
