// A key ring whose keys are read from the environment of the platform, which some platforms pass only with a request.
import { createKeyRing, type KeyRing, type RingKey, type SealKey } from "./key-ring.ts";

/**
 * Reads the keys from the environment that a platform passes with each request, such as the bindings of a Worker. It is called
 * until it returns keys, and may throw.
 */
// biome-ignore lint/suspicious/noExplicitAny: each platform has its own type, and any other parameter type would reject it
export type ReadKeys = (environment: any) => string | readonly SealKey[] | undefined;

interface Platform {
  readonly process?: { readonly env?: unknown };
}

/** A use before the first `read` reads the keys from `process.env`, for edges that get no environment. */
export class PlatformKeyRing implements KeyRing {
  readonly isEphemeral = false;
  readonly #readKeys: ReadKeys;
  #ring: KeyRing | undefined;

  constructor(readKeys: ReadKeys) {
    this.#readKeys = readKeys;
  }

  get first(): RingKey {
    return this.read(undefined).first;
  }

  get keys(): readonly RingKey[] {
    return this.read(undefined).keys;
  }

  find(id: string): RingKey | undefined {
    return this.read(undefined).find(id);
  }

  /** Reads the keys unless they were read already. Throws an Error if there are none, or if one is wrong. */
  read(environment: unknown): KeyRing {
    this.#ring ??= createKeyRing(this.#requireKeys(environment ?? (globalThis as Platform).process?.env ?? {}));
    return this.#ring;
  }

  #requireKeys(environment: unknown): string | readonly SealKey[] {
    const keys = this.#readKeys(environment);
    if (keys !== undefined && keys !== "") return keys;
    throw new Error(
      "the function `keys` of createServer returned no keys. Set the secret that it reads, and pass the environment of the platform " +
        "to server.fetch(request, environment)",
    );
  }
}
