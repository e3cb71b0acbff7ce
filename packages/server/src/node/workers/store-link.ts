// How a process reaches the stores of its parent, and the stores that need nothing else.
import type { WorkerStoreKind } from "../../replicas/worker-stores.ts";
import { createLinkedRateCounter, createLinkedSessionStateStore, createLinkedSingleUseStore } from "./linked-stores.ts";
import { createLinkedTaskStore } from "./linked-task-store.ts";

export interface StoreLink {
  /** Runs an operation of a store of the parent. What is given and returned is JSON. Rejects with the error of the store. */
  request<Answer>(operation: string, ...given: readonly unknown[]): Promise<Answer>;
}

/** Returns undefined for a kind that needs messages between workers. */
export function openLinkedStore(link: StoreLink, kind: WorkerStoreKind, space: string): unknown {
  switch (kind) {
    case "rates":
      return createLinkedRateCounter(link, space);
    case "sessions":
      return createLinkedSessionStateStore(link, `state ${space}`);
    case "singleUse":
      return createLinkedSingleUseStore(link, space);
    case "tasks":
      return createLinkedTaskStore(link, space);
    default:
      return undefined;
  }
}
