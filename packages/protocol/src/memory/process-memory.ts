// The budget of this process: what is held for all peers of all servers, clients and gateways in it comes out of one heap.
import { MemoryBudget } from "./memory-budget.ts";

/** `processMemory.limit(bytes)` changes the default: an eighth of the heap limit where it is known, else 64 MiB. */
export const processMemory: MemoryBudget = new MemoryBudget();
