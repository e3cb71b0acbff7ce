// Work that takes a moment, one after the other, within a bound.

export interface InOrder {
  /** False when too much waits: then it will not be done. What it throws is ignored. */
  add(work: () => Promise<void>): boolean;
}

export function createInOrder(maxWaiting: number): InOrder {
  const waiting: (() => Promise<void>)[] = [];
  let isWorking = false;

  async function workOff(): Promise<void> {
    isWorking = true;
    for (let work = waiting.shift(); work; work = waiting.shift()) await work().catch(() => {});
    isWorking = false;
  }

  return {
    add(work) {
      if (waiting.length >= maxWaiting) return false;
      waiting.push(work);
      if (!isWorking) void workOff();
      return true;
    },
  };
}
