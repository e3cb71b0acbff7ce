// Serializes the changes that one process makes to one record of a store: only other processes can conflict.

/** Runs `work` after all earlier work for the same key, and settles as it does. */
export type TakeTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * For implementations of stores whose writes compare a version: without turns, of n changes of a record at the same time n - 1 would be
 * repeated, and so on. Keeps an entry only for keys with work.
 *
 * @example
 * import { createTurns } from "@lethe/server/stores";
 *
 * const takeTurn = createTurns();
 * const order: string[] = [];
 * const slow = takeTurn("a", async () => void order.push(await Promise.resolve("first")));
 * await Promise.all([slow, takeTurn("a", async () => void order.push("second"))]);
 * console.log(order); // [ 'first', 'second' ]
 */
export function createTurns(): TakeTurns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
