// The stores that workers of one program share through their parent, where the program runs as workers. Their place is the global object,
// so that servers need no code of Node, and so that copies of this package share them.

/** Returns the shared store of a kind, or undefined for a kind that is not shared. `space` keeps stores of one kind apart. */
export type OpenWorkerStore = (kind: WorkerStoreKind, space: string) => unknown;

export type WorkerStoreKind = "bus" | "legacy" | "rates" | "sessions" | "singleUse" | "tasks";

const key: unique symbol = Symbol.for("lethe.workerStores") as never;
const place = globalThis as { [key]?: OpenWorkerStore };
/** All workers run one program, so the same store has the same number in each. */
const counts = new Map<string, number>();

/** Called before the program of a worker begins. */
export function provideWorkerStores(open: OpenWorkerStore): void {
  place[key] = open;
}

/** Whether this process is a worker, so that what is kept in memory without a shared store is kept for each worker. */
export function hasWorkerStores(): boolean {
  return place[key] !== undefined;
}

/** Returns undefined in a process that is no worker. `name` is that of the server. */
export function openWorkerStore<Store>(kind: WorkerStoreKind, name: string): Store | undefined {
  const open = place[key];
  if (!open) return undefined;
  const label = `${kind} ${name}`;
  const count = (counts.get(label) ?? 0) + 1;
  counts.set(label, count);
  return open(kind, `${name} ${count}`) as Store;
}
