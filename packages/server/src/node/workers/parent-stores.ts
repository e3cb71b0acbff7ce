// The stores of a program's servers in the memory of its parent, for a parent that replaces the process of the program by itself.
import { provideWorkerStores } from "../../replicas/worker-stores.ts";
import { StoreHost } from "./store-host.ts";
import { openLinkedStore, type StoreLink } from "./store-link.ts";

/** The parent's side of the stores. Created by `createParentStores`. */
export interface ParentStores {
  /** Runs an operation that a process requests. Throws, or rejects, with the error of the store. `process` is a number of your choice. */
  run(process: number, operation: string, given: readonly unknown[]): unknown;
  /** The process has ended: another one continues its tasks at once. */
  ended(process: number): void;
}

/**
 * Creates the stores of a program that outlive its process: tasks, states of sessions, single-use states and rates. They are in the memory
 * of this process, with the limits of the stores in memory. The process of the program calls `provideParentStores`.
 *
 * @example
 * import { fork } from "node:child_process";
 * import { createParentStores } from "@lethe/server/workers";
 *
 * const stores = createParentStores();
 * function start(process: number): void {
 *   const child = fork("program.js");
 *   child.on("message", async ({ id, operation, given }: { id: number; operation: string; given: unknown[] }) => {
 *     child.send({ id, answer: await stores.run(process, operation, given) });
 *   });
 *   child.on("exit", () => stores.ended(process));
 * }
 * console.log(typeof start); // function
 */
export function createParentStores(): ParentStores {
  const host = new StoreHost();
  const toWorker = (process: number) => ({ number: process, id: String(process), onEvent: () => {} });
  return {
    run: (process, operation, given) => host.run(toWorker(process), operation, given),
    ended: (process) => host.workerEnded(toWorker(process)),
  };
}

/**
 * Gives the servers that this process creates from now on the stores of its parent, unless their options name others. `request` sends an
 * operation to `run` of the parent's stores, and resolves with the result.
 *
 * @example
 * import { createParentStores, provideParentStores } from "@lethe/server/workers";
 *
 * const stores = createParentStores();
 * // A real program sends the request to the process that started it.
 * provideParentStores(async (operation, ...given) => JSON.parse(JSON.stringify((await stores.run(1, operation, given)) ?? null)));
 */
export function provideParentStores(
  request: (operation: string, ...given: readonly unknown[]) => Promise<unknown>,
): void {
  const link: StoreLink = {
    request: async <Answer>(operation: string, ...given: readonly unknown[]) =>
      ((await request(operation, ...given)) ?? undefined) as Answer,
  };
  provideWorkerStores((kind, space) => openLinkedStore(link, kind, space));
}
