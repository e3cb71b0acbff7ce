// Finds who a key belongs to, in a time that depends neither on the number of keys nor on how much of a key is right.
import type { Caller } from "@lethe/protocol";

interface Entry {
  readonly key: string;
  readonly caller: Caller;
}

/** Keys are ASCII, as all bearer tokens are. */
export class KeyTable {
  readonly #fingerprint: (text: string) => number;
  readonly #entries = new Map<number, Entry[]>();
  readonly #longest: number;

  /** `fingerprint` may give several texts the same number. Default: a secret one. */
  constructor(entries: readonly Entry[], fingerprint?: (text: string) => number) {
    this.#longest = entries.reduce((longest, { key }) => Math.max(longest, key.length), 0);
    this.#fingerprint = fingerprint ?? createFingerprint(this.#longest);
    for (const entry of entries) {
      const number = this.#fingerprint(entry.key);
      this.#entries.set(number, [...(this.#entries.get(number) ?? []), entry]);
    }
  }

  find(token: string): Caller | undefined {
    // Comparing a long token would take long.
    if (token.length > this.#longest) return undefined;
    let found: Caller | undefined;
    for (const { key, caller } of this.#entries.get(this.#fingerprint(token)) ?? []) {
      if (isSame(token, key)) found = caller;
    }
    return found;
  }
}

/**
 * The sum of all characters, each multiplied by a random number that is kept secret. Two texts have the same sum only by chance, at most
 * once in 2^25 pairs, so the time of a lookup tells a client that guesses nothing about the keys.
 */
function createFingerprint(maxLength: number): (text: string) => number {
  const factors = globalThis.crypto.getRandomValues(new Uint32Array(maxLength));
  return (text) => {
    let sum = 0;
    for (let index = 0; index < text.length; index += 1) {
      sum = (sum + Math.imul(factors[index] as number, text.charCodeAt(index))) | 0;
    }
    return sum;
  };
}

/** Takes a time that depends on the length of `given` alone. */
function isSame(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= given.charCodeAt(index) ^ key.charCodeAt(index % key.length);
  }
  return difference === 0;
}
