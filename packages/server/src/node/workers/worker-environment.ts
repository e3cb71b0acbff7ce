// The link of this process to its parent, if it is a worker: a pipe that it inherits.
import { Socket } from "node:net";
import { linkKey, workerVariable } from "./is-worker.ts";
import { ParentLink } from "./parent-link.ts";

/** The descriptor after stdin, stdout, stderr and the channel of node:child_process. */
const pipeDescriptor = 4;

const shared = globalThis as { [linkKey]?: ParentLink };

/** Returns undefined if this process is no worker. */
export function openParentLink(): ParentLink | undefined {
  const [number, self, slot] = process.env[workerVariable]?.split(" ") ?? [];
  if (number !== undefined && self !== undefined) {
    // Programs that this worker starts are no workers.
    delete process.env[workerVariable];
    const stream = new Socket({ fd: pipeDescriptor, readable: true, writable: true });
    shared[linkKey] = new ParentLink({ stream, self, number: Number(number), slot: Number(slot) });
  }
  return shared[linkKey];
}
