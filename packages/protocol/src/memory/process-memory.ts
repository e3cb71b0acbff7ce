// The memory budget of this process. All servers, clients and gateways of a process share one heap.
import { MemoryBudget } from "./memory-budget.ts";

/** The default limit is an eighth of the heap limit, or 64 MiB if it is unknown. `processMemory.limit(bytes)` changes it. */
export const processMemory: MemoryBudget = new MemoryBudget();
