// Serializes the changes that this process makes to one key in Redis: only other processes can conflict.

/** Runs `work` after all earlier work for the same key, and settles as it does. */
export type TakeTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

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
