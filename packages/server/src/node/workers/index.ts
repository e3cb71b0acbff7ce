// The entry point @lethe/server/workers: several processes of one program, and what they share through their parent. Apart from
// @lethe/server/node, so that a server of one process does not load it.

export { createParentStores, type ParentStores, provideParentStores } from "./parent-stores.ts";
export { usableCores } from "./usable-cores.ts";
export { findWorkersProblem, toWorkerCount } from "./worker-count.ts";
export type { WorkerEvent } from "./worker-event.ts";
export { startWorkers } from "./worker-group.ts";
export type { WorkerPeer, WorkerStatus } from "./worker-peer.ts";
export { type JoinedWorkers, type WorkerProcess, workerProcess } from "./worker-process.ts";
export type { StartWorkersOptions, Workers } from "./workers-options.ts";
