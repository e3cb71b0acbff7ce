// Takes this worker's ends of the pipes to the other workers from its parent.
import type { Socket } from "node:net";
import type { PairedMessage } from "./pair-workers.ts";
import type { ParentLink } from "./parent-link.ts";

/** Calls `onPipe` with the number of each other worker and the pipe to it. */
export function takePipes(link: ParentLink, onPipe: (worker: number, socket: Socket) => void): void {
  process.on("message", (message: Partial<PairedMessage> | undefined, socket?: Socket) => {
    if (message?.lethe === "paired" && message.worker !== undefined && socket) onPipe(message.worker, socket);
  });
  link.tell("pair");
}
