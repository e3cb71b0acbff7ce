// What this process changes at one place in Redis, one after the other: only other processes come in between.

/** Settles as the work does, which begins when what came before it for that place is over. */
export type TakeTurns = <T>(place: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): TakeTurns {
  const last = new Map<string, Promise<unknown>>();
  return async (place, work) => {
    const before = last.get(place);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(place, mine);
    try {
      return await mine;
    } finally {
      if (last.get(place) === mine) last.delete(place);
    }
  };
}
