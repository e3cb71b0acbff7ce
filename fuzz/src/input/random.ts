// A seeded source of random numbers: the same seed repeats a failing round.

export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** Throws when there are no items. */
  pick<T>(items: readonly T[]): T;
  /** Undefined when there are no items. */
  pickAny<T>(items: readonly T[]): T | undefined;
}

/** Mulberry32: 32 bits of state are enough to vary inputs. */
export function createRandom(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new RangeError("pick: at least one item expected");
      return items[below(items.length)] as (typeof items)[number];
    },
    pickAny: (items) => items[below(items.length)],
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
